/** A team in the format of the source for 2026. */
export interface SourceTeam {
  readonly name: string;
  readonly fifa_code: string;
  readonly flag_icon: string;
  readonly confed: string;
  readonly continent: string;
  readonly group: string;
}

const europe = { confed: "UEFA", continent: "Europe", group: "" };
const africa = { confed: "CAF", continent: "Africa", group: "" };

/** The teams of 2018 and 2022 that did not play in 2026: the source has only their names. */
export const EARLIER_TEAMS: readonly SourceTeam[] = [
  { name: "Cameroon", fifa_code: "CMR", flag_icon: "🇨🇲", ...africa },
  {
    name: "Costa Rica",
    fifa_code: "CRC",
    flag_icon: "🇨🇷",
    confed: "CONCACAF",
    continent: "North America",
    group: "",
  },
  { name: "Denmark", fifa_code: "DEN", flag_icon: "🇩🇰", ...europe },
  { name: "Iceland", fifa_code: "ISL", flag_icon: "🇮🇸", ...europe },
  { name: "Nigeria", fifa_code: "NGA", flag_icon: "🇳🇬", ...africa },
  {
    name: "Peru",
    fifa_code: "PER",
    flag_icon: "🇵🇪",
    confed: "CONMEBOL",
    continent: "South America",
    group: "",
  },
  { name: "Poland", fifa_code: "POL", flag_icon: "🇵🇱", ...europe },
  { name: "Russia", fifa_code: "RUS", flag_icon: "🇷🇺", ...europe },
  { name: "Serbia", fifa_code: "SRB", flag_icon: "🇷🇸", ...europe },
  { name: "Wales", fifa_code: "WAL", flag_icon: "🏴󠁧󠁢󠁷󠁬󠁳󠁿", ...europe },
];

/** German names by team code, where they differ from the English ones. */
export const GERMAN_NAMES: Readonly<Record<string, string>> = {
  ALG: "Algerien",
  ARG: "Argentinien",
  AUS: "Australien",
  AUT: "Österreich",
  BEL: "Belgien",
  BIH: "Bosnien und Herzegowina",
  BRA: "Brasilien",
  CAN: "Kanada",
  CIV: "Elfenbeinküste",
  CMR: "Kamerun",
  COD: "DR Kongo",
  COL: "Kolumbien",
  CPV: "Kap Verde",
  CRO: "Kroatien",
  CZE: "Tschechien",
  DEN: "Dänemark",
  EGY: "Ägypten",
  ESP: "Spanien",
  FRA: "Frankreich",
  GER: "Deutschland",
  IRQ: "Irak",
  ISL: "Island",
  JOR: "Jordanien",
  KOR: "Südkorea",
  KSA: "Saudi-Arabien",
  MAR: "Marokko",
  MEX: "Mexiko",
  NED: "Niederlande",
  NOR: "Norwegen",
  NZL: "Neuseeland",
  POL: "Polen",
  QAT: "Katar",
  RSA: "Südafrika",
  RUS: "Russland",
  SCO: "Schottland",
  SRB: "Serbien",
  SUI: "Schweiz",
  SWE: "Schweden",
  TUN: "Tunesien",
  TUR: "Türkei",
  UZB: "Usbekistan",
};

/** Names in matches by their spelling in squads, where they differ. */
export const SQUAD_NAMES: Readonly<Record<string, string>> = {
  "Bosnia and Herzegovina": "Bosnia & Herzegovina",
  "United States": "USA",
};

/** Grounds with two spellings, mapped to the one in use. */
export const GROUNDS: Readonly<Record<string, string>> = {
  "Lusail Iconic Stadium, Lusail": "Lusail Stadium, Lusail",
  "Saint Petersburg Stadium, St. Petersburg": "Saint Petersburg Stadium, Saint Petersburg",
};

/** Names of rounds in 2026 by their plural names of 2018 and 2022. */
export const ROUNDS: Readonly<Record<string, string>> = {
  "Quarter-finals": "Quarter-final",
  "Semi-finals": "Semi-final",
};

/** Names in squads by the scorers' names in matches, where they differ. */
export const SCORERS: Readonly<Record<string, string>> = {
  "Agustín Cano": "Agustín Canobbio",
  "Baris Alper Yilmaz": "Barış Alper Yılmaz",
  "Diney Borges": "Diney",
  "Mahmoud Abunada": "Mahmud Abunada",
  "Maxi Araújo": "Maximiliano Araújo",
  "Mohammad Mohebbi": "Mohammad Mohebi",
  "Mostafa Zico": "Mostafa Ziko",
  "Mousa Al-Tamari": "Musa Al-Taamari",
  "Stephan Eustáquio": "Stephen Eustáquio",
};
