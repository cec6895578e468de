import { contentType } from 'mime-types'

const UNKNOWN = 'application/octet-stream'
const EXTENSION = /.(\.[\w-]{1,32})$/

/** The media type by the extension of a name. The content is not inspected. */
export function mediaType(name: string): string {
  const [, extension] = EXTENSION.exec(name) ?? []
  return (extension && contentType(extension)) || UNKNOWN
}

const TEXTUAL =
  /^text\/|[+/](?:json|xml|yaml|javascript|ecmascript|graphql|sql|rtf|toml|x-sh|x-tex)$/
const LOOSE = /^(?:image\/(?:svg\+xml|bmp|tiff)|application\/(?:x-tar|wasm|x-ndjson|json5|x-sql))$/

/** Whether content of a type is worth compressing. Unknown types are mostly compressed already. */
export function isCompressible(type: string): boolean {
  const [essence = ''] = type.split(';')
  return TEXTUAL.test(essence) || LOOSE.test(essence)
}
