/** Finds the country of a viewer from the headers of a request; undefined where it is not known. */
export type FindCountry = (headers: Headers) => string | undefined;

/**
 * Creates the search for the viewer's country in a header that a trusted proxy or CDN sets, such as
 * `cf-ipcountry`; without a name no country is ever known. What is not of the form of ISO 3166-1
 * alpha-2 is not known either.
 */
export function createFindCountry(header: string | undefined): FindCountry {
  if (header === undefined) return () => undefined;
  return (headers) => {
    const country = headers.get(header)?.trim().toUpperCase();
    return country !== undefined && /^[A-Z]{2}$/.test(country) ? country : undefined;
  };
}
