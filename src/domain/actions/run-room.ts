import { Code, DomainError } from "../base/errors.ts";

/** The most characters of the bodies that the runs of an annotation send, and of the values that their templates read. */
const CHARACTERS = 16 * 2 ** 20;

/** The most characters of one body: many runs are in memory while they are sent. */
const BODY_CHARACTERS = 2 * 2 ** 20;

/** The bytes of the requests of a project's runs beyond which its oldest ended ones are deleted … */
export const KEPT_BYTES = 2 ** 30;

/** … and beyond which the runs of an annotation have no room, and webhooks' fail at once. */
export const MOST_RUN_BYTES = 2 * KEPT_BYTES;

/** The most bytes of the descriptor sets that their requests are built with: reading one takes long. */
const DESCRIPTOR_BYTES = 2 ** 20;

/** The room for the runs of one annotation. Its methods throw INVALID_ARGUMENT `REQUEST_NOT_ACCEPTED` for more than is left. */
export class RunRoom {
  #characters: number;
  #descriptorBytes = DESCRIPTOR_BYTES;

  /** Creates the room in a project whose runs have requests of so many bytes. */
  constructor(storedBytes: number) {
    this.#characters = Math.max(0, Math.min(CHARACTERS, MOST_RUN_BYTES - storedBytes));
  }

  takeCharacters(count: number): void {
    if (count > this.#characters) throw noRoom(`${CHARACTERS} characters together`);
    this.#characters -= count;
  }

  takeBody({ length }: string): void {
    if (length > BODY_CHARACTERS) throw noRoom(`${BODY_CHARACTERS} characters each`);
    this.takeCharacters(length);
  }

  takeDescriptorBytes(count: number): void {
    if (count > this.#descriptorBytes)
      throw noRoom(`${DESCRIPTOR_BYTES} bytes of descriptor sets together`);
    this.#descriptorBytes -= count;
  }
}

function noRoom(most: string): DomainError {
  const message = `the requests of an annotation's runs have at most ${most}`;
  return new DomainError(Code.INVALID_ARGUMENT, "REQUEST_NOT_ACCEPTED", message);
}
