import { contentType } from 'mime-types'

const UNKNOWN = 'application/octet-stream'
const EXTENSION = /.(\.[\w-]{1,32})$/

/** What a file is by the end of its name; its content is not looked at. */
export function mediaType(name: string): string {
  const [, extension] = EXTENSION.exec(name) ?? []
  return (extension && contentType(extension)) || UNKNOWN
}

const TEXTUAL =
  /^text\/|[+/](?:json|xml|yaml|javascript|ecmascript|graphql|sql|rtf|toml|x-sh|x-tex)$/
const LOOSE = /^(?:image\/(?:svg\+xml|bmp|tiff)|application\/(?:x-tar|wasm|x-ndjson|json5|x-sql))$/

/**
 * Whether bytes of a type get smaller. Most of what research stores under types nobody knows is packed already, and would only
 * cost time.
 */
export function isCompressible(type: string): boolean {
  const [essence = ''] = type.split(';')
  return TEXTUAL.test(essence) || LOOSE.test(essence)
}
