/** A kind of query, in as many forms as asked for, so that no response is repeated. */
export interface QueryKind {
  readonly name: string;
  /** The filter of a number. */
  filterOf(number: number): string;
  readonly order: string;
}

const teams = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => `team-${(first + index * 7) % 200}`).join(" or ");

/** The queries of the benchmark, over the events of `createBenchEvent`. */
export const QUERY_KINDS: readonly QueryKind[] = [
  {
    name: "a rare value",
    filterOf: (number) => `fields.tournament: tournament-${number % 100}`,
    order: "start_time asc",
  },
  {
    name: "a common value",
    filterOf: (number) => `content_type: ${number % 2 === 0 ? "match" : "show"}`,
    order: "start_time desc",
  },
  {
    name: "two values joined",
    filterOf: (number) =>
      `entity_ids: team-${number % 200} and fields.season.id: "${1966 + (number % 60)}"`,
    order: "start_time asc",
  },
  {
    name: "range + equality",
    filterOf: (number) => `content_type: match and fields.attendance >= ${10_000 + number * 90}`,
    order: "start_time asc",
  },
  {
    name: "coming events (time range + equality)",
    filterOf: (number) =>
      `entity_ids: team-${number % 200} and start_time >= "20${16 + (number % 9)}-03-01"`,
    order: "start_time asc",
  },
  {
    name: "an or-list of 20",
    filterOf: (number) => `entity_ids: (${teams(number, 20)})`,
    order: "start_time asc",
  },
  {
    name: "a negation",
    filterOf: (number) => `not content_type: match and not entity_ids: team-${number % 200}`,
    order: "start_time asc",
  },
  {
    name: "a common value, by title",
    filterOf: (number) => `content_type: ${number % 2 === 0 ? "match" : "show"}`,
    order: "title.en asc",
  },
  { name: "everything, by time", filterOf: () => "", order: "start_time desc" },
  {
    name: "everything, by a field of many values",
    filterOf: () => "",
    order: "fields.attendance desc, start_time desc",
  },
  {
    name: "everything, by a field of few values",
    filterOf: () => "",
    order: "fields.season.id asc, start_time desc",
  },
];
