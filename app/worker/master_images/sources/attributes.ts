import { isObject } from '#oci/manifest'
import { tryParseJson } from '#kernel/try_parse_json'
import type { ListedArgument } from './listing.js'

/** The supported attributes of an image or group file. */
export interface Attributes {
  readonly name?: string
  readonly command?: string
  readonly commandArguments?: readonly ListedArgument[]
  /** An image of another registry that is used instead of building one. */
  readonly image?: string
}

/** A mistake in an attribute file that its author must fix. */
export class AttributeInvalid extends Error {}

/** Parses `image.json` or `image-group.json`. Ignores unknown attributes. */
export function readAttributes(file: string, text: string): Attributes {
  const value = tryParseJson(text)
  if (!isObject(value)) {
    throw new AttributeInvalid(`${file} is not a JSON object`)
  }
  const { name, command, commandArguments, image } = value
  return {
    ...(isPresent(name) && { name: requireText(`name in ${file}`, name, 1, 128) }),
    ...(isPresent(command) && { command: requireText(`command in ${file}`, command, 3, 256) }),
    ...(isPresent(commandArguments) && {
      commandArguments: requireArguments(file, commandArguments),
    }),
    ...(isPresent(image) && { image: requireText(`image in ${file}`, image, 1, 512) }),
  }
}

function requireArguments(file: string, value: unknown): ListedArgument[] {
  if (!Array.isArray(value)) {
    throw new AttributeInvalid(`commandArguments in ${file} is not a list`)
  }
  return value.map((one, index) => requireArgument(`commandArguments[${index}] in ${file}`, one))
}

function requireArgument(what: string, input: unknown): ListedArgument {
  const { value, position } = isObject(input) ? input : { value: input, position: undefined }
  if (isPresent(position) && position !== 'before' && position !== 'after') {
    throw new AttributeInvalid(`the position of ${what} must be before or after`)
  }
  return { value: requireText(what, value, 2, 512), ...(isPresent(position) && { position }) }
}

function requireText(what: string, value: unknown, least: number, most: number): string {
  if (typeof value !== 'string' || value.length < least || value.length > most) {
    throw new AttributeInvalid(`${what} must be a text of ${least} to ${most} characters`)
  }
  return value
}

const isPresent = <T>(value: T): value is NonNullable<T> => value !== undefined && value !== null
