import type { DemoFile } from "./demo-file.ts";

/** The URLs of the demo that are new with every start. */
interface DemoUrls {
  /** Of the receiver of its actions. */
  readonly receiverUrl: string;
  /** Opens the studio without a credential; undefined: one is to be entered. */
  readonly demoLink: string | undefined;
}

/** Describes the demo: its credentials, its studio, the receiver of its actions, and three commands to try. */
export function describeDemo(
  demo: DemoFile,
  path: string,
  { receiverUrl, demoLink }: DemoUrls,
): string {
  const [project] = demo.projects;
  const key = project?.public_key;
  const { owner } = demo.accounts;
  const { page_component_id: component } = demo.samples;
  const method = "svc.cda.cms.event.v1.EventService/ListEvents";
  return `
Demo credentials (complete list in ${path})
  project ${project?.id}, public key  ${key}
  owner's access token       ${owner}
  runs of its actions        ${receiverUrl}

${
  demoLink === undefined
    ? `Edit it: open ${demo.base_url}/studio and enter the owner's access token`
    : `Edit it and see its pages, on this machine, once and within 15 minutes
  ${demoLink}
Later, open ${demo.base_url}/studio and enter the owner's access token`
}
See its pages as a viewer does: enter instead
  preview key                ${project?.preview_key}

Read events as a website does
  curl -H 'Authorization: Bearer ${key}' \\
    '${demo.cda_url}/${method}?encoding=json&message=%7B%22pageSize%22%3A%222%22%7D'

Change a page component as an editor does
  curl -X PATCH -H 'Authorization: Bearer ${owner}' -H 'Content-Type: application/json' \\
    -d '{"page_component_update": {"name": "Welcome"}, "update_mask": "name"}' \\
    '${demo.base_url}/ott/page_components/v2/${component}'

Explore the schema by reflection
  npx -y @bufbuild/buf curl --http2-prior-knowledge -H 'Authorization: Bearer ${key}' \\
    -d '{"pageSize": 2}' ${demo.cda_url}/${method}

`;
}
