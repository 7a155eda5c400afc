/** The size of each shape, in units of the drawing. */
const SHAPES = {
  "16:9": { width: 640, height: 360 },
  "2:3": { width: 400, height: 600 },
  "1:1": { width: 400, height: 400 },
  "21:9": { width: 1050, height: 450 },
} as const;

/** The shape of a picture, as width to height. */
export type PictureShape = keyof typeof SHAPES;

const PALETTE: Readonly<Record<string, string>> = {
  b: "#1d4ed8",
  g: "#0b7a3e",
  k: "#16181d",
  m: "#7a1230",
  n: "#12284c",
  o: "#f26a1b",
  r: "#c8202f",
  s: "#79bdf0",
  w: "#eef1f5",
  y: "#f9c92e",
};
const LIGHT = [PALETTE.s, PALETTE.w, PALETTE.y];
const DARK_INK = "#12161d";

/** The two colors of each team, by code and letters of the palette. */
const TEAM_COLORS: ReadonlyMap<string, readonly [string, string]> = new Map(
  [
    "alg:gw,arg:sw,aus:yg,aut:rw,bel:rk,bih:by,bra:yg,can:rw,cmr:gr,civ:og,cod:sr,col:yb",
    "cpv:br,crc:rb,cro:rw,cuw:by,cze:rb,den:rw,ecu:yb,egy:rk,eng:wr,esp:ry,fra:nw,ger:wk",
    "gha:wk,hai:br,irn:wr,irq:gw,isl:bw,jor:rk,jpn:nw,kor:rk,ksa:gw,mar:rg,mex:gr,ned:on",
    "nga:gw,nor:rn,nzl:kw,pan:rb,par:rb,per:wr,pol:wr,por:rg,qat:mw,rsa:yg,rus:rw,sco:nw",
    "sen:wg,srb:rb,sui:rw,swe:yb,tun:rw,tur:rw,uru:sk,usa:wn,uzb:wb,wal:rg",
  ]
    .flatMap((line) => line.split(","))
    .map((entry) => {
      const [code = "", [first = "", second = ""] = ""] = entry.split(":");
      return [code, [PALETTE[first] ?? "", PALETTE[second] ?? ""]];
    }),
);

/** Prints the pictures that records name as JSON, by id and shape, one per line. */
export function printPictures(records: string): string {
  const names = Array.from(
    records.matchAll(/\/demo\/picture\.svg\?id=([^"&]+)&shape=([^"&]+)/g),
    ([, id = "", shape = ""]) => `${id} ${shape}`,
  );
  const drawn = [...new Set(names)].sort().map((name) => {
    const [id = "", shape = ""] = name.split(" ");
    return [name, drawPicture(id, shape as PictureShape)];
  });
  return `${JSON.stringify(Object.fromEntries(drawn), undefined, 1)}\n`;
}

/**
 * Draws a picture as SVG. The first word of the id is its kind; three-letter codes of teams give the colors. For stadiums,
 * sponsors, texts and unknown teams the other words are written.
 */
export function drawPicture(id: string, shape: PictureShape): string {
  const { width, height } = SHAPES[shape];
  const [kind = "", ...words] = id.split("-");
  const [home, away] = words.filter((word) => TEAM_COLORS.has(word));
  const canvas = new Canvas(width, height);
  if (home !== undefined && away !== undefined) canvas.drawMatch(home, away);
  else if (home !== undefined && kind === "player") canvas.drawShirt(home, words.at(-1) ?? "");
  else if (home !== undefined) canvas.drawTeam(home);
  else canvas.drawWords(id, ["stadium", "sponsor", "team", "text"].includes(kind) ? words : []);
  if (kind === "highlights" && width > height) canvas.drawPlay();
  return canvas.print();
}

/** A drawing of one size; each method adds to it. */
class Canvas {
  readonly #width: number;
  readonly #height: number;
  readonly #center: { readonly x: number; readonly y: number };
  readonly #side: number;
  readonly #elements: string[] = [];

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
    this.#center = { x: width / 2, y: height / 2 };
    this.#side = Math.min(width, height);
  }

  /** Draws two teams side by side, or one above the other in a narrow shape. */
  drawMatch(home: string, away: string): void {
    const [w, h] = [this.#width, this.#height];
    const [first, trim] = colorsOf(home);
    const [ofAway, trimOfAway] = colorsOf(away);
    const [second, trimOfSecond] = ofAway === first ? [trimOfAway, ofAway] : [ofAway, trimOfAway];
    this.#fill(first);
    // The line between the halves leans by a twelfth; each half has a stripe of its trim at this line.
    const split = (offset: number) =>
      w > h
        ? `${w * (0.56 + offset)},0 ${w},0 ${w},${h} ${w * (0.44 + offset)},${h}`
        : `0,${h * (0.54 + offset)} ${w},${h * (0.46 + offset)} ${w},${h} 0,${h}`;
    for (const [offset, color] of [
      [-0.025, trim],
      [0, trimOfSecond],
      [0.025, second],
    ] as const) {
      this.#elements.push(`<polygon points="${split(offset)}" fill="${color}"/>`);
    }
    this.#drawPitch();
    const size = w > h ? h * 0.2 : h * 0.14;
    if (w > h) {
      this.#write(home, w * 0.24, h / 2, size, inkOn(first));
      this.#write(away, w * 0.76, h / 2, size, inkOn(second));
    } else {
      this.#write(home, w / 2, h * 0.29, size, inkOn(first));
      this.#write(away, w / 2, h * 0.71, size, inkOn(second));
    }
  }

  /** Draws the colors and the code of a team. */
  drawTeam(team: string): void {
    const [w, h] = [this.#width, this.#height];
    const [first, second] = colorsOf(team);
    this.#fill(first);
    const sash = `${w * 0.7},0 ${w},0 ${w},${h * 0.3} ${w * 0.3},${h} 0,${h} 0,${h * 0.7}`;
    this.#elements.push(`<polygon points="${sash}" fill="${second}" opacity="0.28"/>`);
    this.#drawPitch();
    this.#write(team, w / 2, h / 2, this.#side * 0.26, inkOn(first));
  }

  /** Draws the shirt of a player in the colors of the team. */
  drawShirt(team: string, number: string): void {
    const [first, second] = colorsOf(team);
    this.#fill("#1b2a44");
    this.#drawPitch();
    const { x, y } = this.#center;
    const shirt =
      "M-22,-60 L-80,-34 L-62,14 L-42,6 V72 H42 V6 L62,14 L80,-34 L22,-60 Q0,-40 -22,-60 Z";
    this.#elements.push(
      `<path transform="translate(${x},${y}) scale(${this.#side / 210})" d="${shirt}"`,
      ` fill="${first}" stroke="${second}" stroke-width="7" stroke-linejoin="round"/>`,
    );
    this.#write(number, x, y + this.#side * 0.05, this.#side * 0.26, inkOn(first));
  }

  /** Draws rings in colors that depend on the id, and words in front of them, one a line. */
  drawWords(id: string, words: readonly string[]): void {
    const hue = [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
    const [w, h] = [this.#width, this.#height];
    this.#fill(`hsl(${hue} 48% 26%)`);
    for (const [index, part] of [0.95, 0.7, 0.45, 0.2].entries()) {
      this.#elements.push(
        `<circle cx="${w * 0.74}" cy="${h * 0.4}" r="${Math.round(part * this.#side * 0.8)}"`,
        ` fill="hsl(${(hue + 14 * index) % 360} 60% ${32 + 6 * index}%)" opacity="0.55"/>`,
      );
    }
    const longest = Math.max(...words.map((word) => word.length), 6);
    const size = Math.min((w * 1.2) / longest, (h * 0.7) / Math.max(words.length, 2), h * 0.22);
    for (const [index, word] of words.entries()) {
      const line = index - (words.length - 1) / 2;
      this.#write(word, w / 2, h / 2 + line * size * 1.15, size, "#fff");
    }
  }

  /** Draws the sign of a recording in the center. */
  drawPlay(): void {
    const { x, y } = this.#center;
    this.#elements.push(
      `<g transform="translate(${x},${y}) scale(${this.#side / 400})">`,
      `<circle r="38" fill="${DARK_INK}" opacity="0.72"/>`,
      `<path d="M-11,-18 L20,0 L-11,18 Z" fill="#fff"/></g>`,
    );
  }

  print(): string {
    const [w, h] = [this.#width, this.#height];
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}">`,
      '<linearGradient id="shade" x2="0" y2="1"><stop offset="0.5" stop-opacity="0"/>',
      '<stop offset="1" stop-opacity="0.55"/></linearGradient>',
      ...this.#elements,
      "</svg>\n",
    ].join("");
  }

  #fill(color: string): void {
    this.#elements.push(`<rect width="100%" height="100%" fill="${color}"/>`);
  }

  /** Draws the center circle of a pitch, and a shade below for the texts of clients. */
  #drawPitch(): void {
    const { x, y } = this.#center;
    const radius = Math.round(this.#side * 0.42);
    const line = 'fill="none" stroke="#fff" stroke-opacity="0.22"';
    this.#elements.push(
      `<circle cx="${x}" cy="${y}" r="${radius}" ${line} stroke-width="${this.#side / 90}"/>`,
      '<rect width="100%" height="100%" fill="url(#shade)"/>',
    );
  }

  #write(text: string, x: number, y: number, size: number, color: string): void {
    this.#elements.push(
      `<text x="${x}" y="${y}" dy="0.35em" text-anchor="middle" font-size="${Math.round(size)}"`,
      ` font-family="system-ui, sans-serif" font-weight="800" fill="${color}">`,
      `${text.toUpperCase()}</text>`,
    );
  }
}

function colorsOf(team: string): readonly [string, string] {
  return TEAM_COLORS.get(team) ?? ["", ""];
}

function inkOn(color: string): string {
  return LIGHT.includes(color) ? DARK_INK : "#fff";
}
