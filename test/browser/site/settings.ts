/** What the site needs to call the service: the JSON behind `#` in its address. */
export interface SiteSettings {
  /** Where the delivery interface answers: `{cda_url}`. */
  readonly deliveryUrl: string;
  readonly publicKey: string;
  /** The identity token that the button exchanges. */
  readonly vendorIdToken: string;
}
