/** The prefix of forms in the storage of the tab. */
const FORM = "marquee-studio:form:";

/** Reads a form as it was kept; undefined: it was not. */
export function readForm<T extends object>(name: string): T | undefined {
  const kept = sessionStorage.getItem(FORM + name);
  return kept === null ? undefined : (JSON.parse(kept) as T);
}

/**
 * Keeps the values of a form through a reload and a lost session, until they are saved; undefined forgets them. Reports
 * false if the forms of the tab are too large for the storage of the browser.
 */
export function keepForm(name: string, form: object | undefined): boolean {
  try {
    if (form === undefined) sessionStorage.removeItem(FORM + name);
    else sessionStorage.setItem(FORM + name, JSON.stringify(form));
    return true;
  } catch {
    return false;
  }
}

/** Moves the forms of a project in releases that are not open any more into the current version, unless it has the form. */
export function moveFormsOfEnded(projectId: string, open: ReadonlySet<unknown>): void {
  for (const key of Object.keys(sessionStorage)) {
    const [place = "", release = ""] = key.split("@");
    const isOfProject = place.startsWith(FORM) && place.split("/")[2] === projectId;
    const form = sessionStorage.getItem(key);
    if (!isOfProject || release === "" || open.has(release) || form === null) continue;
    if (sessionStorage.getItem(`${place}@`) !== null) continue;
    sessionStorage.removeItem(key);
    sessionStorage.setItem(`${place}@`, form);
  }
}
