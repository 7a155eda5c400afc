// Generated from tools/openapi/shapes.json by tools/client-types.ts.

import type { JsonValue } from "@bufbuild/protobuf";

/** Contents of a card in a rail, a calendar or a grid. */
export type Card = {
  /** `poster` (rectangular) or `round` (people, teams). */
  readonly kind?: string;
  /** First line. Omitted: the title of the item. */
  readonly title?: KeypathValue;
  /** Second line. Omitted: the description of the item. */
  readonly subtitle?: KeypathValue;
};

/** A card of a calendar, which usually shows a time. */
export type CalendarV2Card = Card;

/** Image of a card, for any kind of card. */
export type CardThumbnail = {
  /** Such as `16:9` or `2:3`. */
  readonly aspect_ratio?: string;
  /** If true, a corner shows the duration of the video. */
  readonly show_duration?: boolean;
};

/** Colors and corners of cards, the same for rails, grids and calendars. */
export type CardStyling = {
  /** Hex code, such as `#10233f`. */
  readonly background_color?: string;
  /** Hex code, such as `#ffffff`. */
  readonly text_color?: string;
  /** Roundness of the corners. */
  readonly border_radius?: JsonValue;
};

/** Arrangement of the events of a calendar. */
export type CalendarV2Layout = {
  /** `day_grid`: the events of the chosen date in a grid. */
  readonly kind?: string;
  /** Number of columns. */
  readonly columns?: number;
};

/** Background of a rail. Clients show the description of the rail only with a background. */
export type RailBackground = {
  /** Hex code, such as `#10233f`. */
  readonly color?: string;
  /** URL of an image. */
  readonly image_url?: string;
};

/** Arrows that scroll a rail. */
export type RailArrows = {
  /** `sides` or `header`. */
  readonly placement?: string;
};

/** Link behind the heading of a rail. */
export type RailSeeAll = {
  /** Slug of the page with all items. */
  readonly page_slug?: string;
  /** Text of the link by language. */
  readonly label?: { readonly [key: string]: string };
};

/** Element above the title of a rail. */
export type RailPreheader = {
  /** Text by language. */
  readonly text?: { readonly [key: string]: string };
  /** URL of a logo. */
  readonly image_url?: string;
};

/** Form of a rail that is not the standard one. */
export type RailTheme = {
  /** Such as `compact` (small cards) or `spotlight` (one large card). */
  readonly kind?: string;
};

/** Component whose items a grid shows. */
export type ContentGridReference = {
  /** Id of a rail, a calendar or an inline grid on any page of the project. Marquee reads it. */
  readonly page_component_id?: string;
};

/** Configuration of a grid of its own. Marquee reads all keys except `title` and those of cards, and checks them as in a rail. */
export type ContentGridInline = {
  /** `BASE_TYPE_EVENT`, `BASE_TYPE_CREATIVE_WORK` or `BASE_TYPE_ENTITY`. */
  readonly type?: string;
  /** KQL filter over the items; may contain variables. */
  readonly filter?: string;
  /** KQL clause by session key. */
  readonly additional_filters?: { readonly [key: string]: string };
  /** Words to search for; may contain variables. */
  readonly search?: string;
  /** Session key whose value replaces `search`. */
  readonly additional_search?: string;
  /** Such as `start_time desc`. */
  readonly order?: string;
  /** Ids of items that come first. */
  readonly pinned?: readonly string[];
  /** If true, omits items that are blocked in the viewer's country. */
  readonly exclude_geoblocked?: boolean;
  /** If true, ignores session keys that the grid does not declare. */
  readonly show_on_unmatched_additional_filters?: boolean;
  /** Items in one response. `limit` takes precedence. */
  readonly page_size?: number;
  /** Items in one response. */
  readonly limit?: number;
  /** Heading by language. */
  readonly title?: { readonly [key: string]: string };
  /** Contents of a card. */
  readonly card?: Card;
  /** Image of a card. */
  readonly card_thumbnail?: CardThumbnail;
  /** Look of a card. */
  readonly card_styling?: CardStyling;
};

/** Control with which a viewer narrows the lists of a page. */
export type FilterControl = {
  /** `select`, `chips`, `entity-select`, `date-range` or `search-input`. */
  readonly kind?: string;
  /** Session key that the control writes, and parameter of the URL. A date range owns two. */
  readonly url_param?: JsonValue;
  /** Text by language. */
  readonly label?: { readonly [key: string]: string };
  /** Values, or objects with `value` and `label`. */
  readonly options?: readonly JsonValue[];
};

/** Arrangement of the controls of a filter. */
export type FilterLayout = {
  /** `inline` (controls in a row) or `drawer` (behind a button). */
  readonly kind?: string;
};

/** Call of ListCreativeWorks with which a client finds the creative work to play. Strings accept variables. */
export type CreativeWorkPlayerQuery = {
  /** KQL filter, which Marquee checks. */
  readonly filter?: string;
  /** Words to search for. */
  readonly search?: string;
  /** Order of the list, such as `release_time desc`. */
  readonly order?: string;
};

/** Call of ListEvents with which a client finds the event to play. Strings accept variables. */
export type EventPlayerQuery = CreativeWorkPlayerQuery;

/** Advertising by Google's IMA SDK in your player. */
export type Ima = {
  /** URL of the ad tag. */
  readonly ad_tag_url?: string;
};

/** Contents for a viewer without access, instead of the video. A ruleset protects the video, not the paywall. */
export type Paywall = {
  /** Text by language. */
  readonly title?: { readonly [key: string]: string };
  /** Text by language. */
  readonly description?: { readonly [key: string]: string };
  /** Ids of the offers to show. */
  readonly offer_ids?: readonly string[];
};

/** Card of an offer. */
export type OfferConfig = {
  /** Id of the offer. Marquee reads it, and returns the offer with its prices. */
  readonly offer_id?: string;
  /** Text by language instead of the title of the offer. */
  readonly title?: { readonly [key: string]: string };
  /** Text by language instead of the description of the offer. */
  readonly description?: { readonly [key: string]: string };
};

/** Colors of a button by its state. */
export type ButtonColors = {
  /** Hex code, such as `#ffcc00`. */
  readonly default?: string;
  /** Hex code, such as `#ffdd55`. */
  readonly hover?: string;
};

/** Name of a value of the item, instead of the value. */
export type KeypathValue = {
  /** Path into the item in snake_case, such as `title`, `start_time` or `fields.home.name`. */
  readonly keypath?: string;
  /** Form of a time: `date` or `time`. */
  readonly format?: string;
};

/** Value of the item, translated by a table. */
export type MappedField = {
  /** Path into the item in snake_case, such as `fields.gender`. */
  readonly keypath?: string;
  /** Text by language, by value of the item. */
  readonly mapping?: { readonly [key: string]: { readonly [key: string]: string } };
};
