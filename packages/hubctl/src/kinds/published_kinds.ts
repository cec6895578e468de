import type { SurfaceName } from '#configuration/surfaces'
import type { JsonSchema } from '#kernel/json_schema'
import { propertiesOf, type Kind } from './kind.js'

interface Content {
  readonly content?: { readonly 'application/json'?: { readonly schema?: JsonSchema } }
}

interface PublishedOperation {
  readonly operationId?: string
  readonly parameters?: readonly { readonly name?: string }[]
  readonly requestBody?: Content
  readonly responses?: Readonly<Record<string, Content>>
}

type PublishedPath = Readonly<Partial<Record<'get' | 'post' | 'delete', PublishedOperation>>>

export interface PublishedDocument {
  readonly paths: Readonly<Record<string, PublishedPath>>
  readonly components?: { readonly schemas?: Readonly<Record<string, JsonSchema>> }
}

const LISTING = /\.list([A-Z]\w*)$/
const COLLECTION = /^\/[a-z][a-z-]*$/

/** Reads the kinds of a service from its OpenAPI document: every collection with a list operation. */
export function kindsIn(service: SurfaceName, document: PublishedDocument): Kind[] {
  return Object.entries(document.paths).flatMap(([path, { get, post }]) => {
    const name = LISTING.exec(get?.operationId ?? '')?.[1]
    if (name === undefined || !COLLECTION.test(path)) {
      return []
    }
    const record = document.paths[`${path}/{id}`] ?? {}
    return [
      {
        name: kebab(name),
        plural: path.slice(1),
        service,
        path,
        isReadable: record.get !== undefined,
        isRemovable: record.delete !== undefined,
        isForcible: Boolean(record.delete?.parameters?.some((one) => one.name === 'force')),
        record: get && recordOf(document, get),
        create: post && bodyOf(document, post),
        update: record.post && bodyOf(document, record.post),
      },
    ]
  })
}

function bodyOf(document: PublishedDocument, { requestBody }: PublishedOperation): JsonSchema {
  return resolved(document, requestBody?.content?.['application/json']?.schema)
}

/** The schema of a record in a list. */
function recordOf(document: PublishedDocument, { responses }: PublishedOperation): JsonSchema {
  const page = resolved(document, responses?.['200']?.content?.['application/json']?.schema)
  const { data } = propertiesOf(page)
  return resolved(document, data?.items as JsonSchema | undefined)
}

function resolved({ components }: PublishedDocument, schema: JsonSchema | undefined): JsonSchema {
  const name = typeof schema?.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined
  const found = name === undefined ? schema : components?.schemas?.[name]
  return found ?? { type: 'object' }
}

function kebab(name: string): string {
  return name.replaceAll(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()
}
