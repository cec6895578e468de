import { isObject } from '#oci/manifest'
import { tryParseJson } from '#kernel/try_parse_json'
import type { ListedArgument } from './listing.js'

/** What the file of an image or a group says, as far as it is understood. */
export interface Attributes {
  readonly name?: string
  readonly command?: string
  readonly commandArguments?: readonly ListedArgument[]
  /** An image elsewhere, which is taken instead of being built. */
  readonly image?: string
}

/** Something in a file that has to be put right. */
export class AttributeInvalid extends Error {}

/** Reads `image.json` or `image-group.json`. What nobody asks for is left aside. */
export function readAttributes(file: string, text: string): Attributes {
  const said = tryParseJson(text)
  if (!isObject(said)) {
    throw new AttributeInvalid(`${file} is no JSON object`)
  }
  const { name, command, commandArguments, image } = said
  return {
    ...(isThere(name) && { name: words(`name in ${file}`, name, 1, 128) }),
    ...(isThere(command) && { command: words(`command in ${file}`, command, 3, 256) }),
    ...(isThere(commandArguments) && { commandArguments: list(file, commandArguments) }),
    ...(isThere(image) && { image: words(`image in ${file}`, image, 1, 512) }),
  }
}

function list(file: string, said: unknown): ListedArgument[] {
  if (!Array.isArray(said)) {
    throw new AttributeInvalid(`commandArguments in ${file} is no list`)
  }
  return said.map((one, index) => argument(`commandArguments[${index}] in ${file}`, one))
}

function argument(what: string, said: unknown): ListedArgument {
  const { value, position } = isObject(said) ? said : { value: said, position: undefined }
  if (isThere(position) && position !== 'before' && position !== 'after') {
    throw new AttributeInvalid(`the position of ${what} is neither before nor after`)
  }
  return { value: words(what, value, 2, 512), ...(isThere(position) && { position }) }
}

function words(what: string, said: unknown, least: number, most: number): string {
  if (typeof said !== 'string' || said.length < least || said.length > most) {
    throw new AttributeInvalid(`${what} is no text of ${least} to ${most} characters`)
  }
  return said
}

const isThere = <T>(value: T): value is NonNullable<T> => value !== undefined && value !== null
