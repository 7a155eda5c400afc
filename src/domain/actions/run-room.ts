import { Code, DomainError } from "../base/errors.ts";

/** The most characters of the bodies that the runs of an annotation send, and of the values that their templates read. */
const CHARACTERS = 16 * 2 ** 20;

/** The most bytes of the descriptor sets that their requests are built with: reading one takes long. */
const DESCRIPTOR_BYTES = 2 ** 20;

/** The room for the runs of one annotation. Its methods throw INVALID_ARGUMENT `REQUEST_NOT_ACCEPTED` for more than is left. */
export class RunRoom {
  #characters = CHARACTERS;
  #descriptorBytes = DESCRIPTOR_BYTES;

  takeCharacters(count: number): void {
    if (count > this.#characters) throw noRoom(`${CHARACTERS} characters`);
    this.#characters -= count;
  }

  takeDescriptorBytes(count: number): void {
    if (count > this.#descriptorBytes) throw noRoom(`${DESCRIPTOR_BYTES} bytes of descriptor sets`);
    this.#descriptorBytes -= count;
  }
}

function noRoom(most: string): DomainError {
  const message = `the runs of an annotation have at most ${most} together`;
  return new DomainError(Code.INVALID_ARGUMENT, "REQUEST_NOT_ACCEPTED", message);
}
