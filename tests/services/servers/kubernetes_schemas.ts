import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { readModule } from './go_program.js'
import { madeOnce } from './made_once.js'

const MODULE = 'k8s.io/kubernetes'
const VERSION = 'v1.37.2'

export const KUBERNETES_VERSION = VERSION.slice(1)

interface Definition {
  readonly 'properties'?: Record<string, Record<string, unknown>>
  readonly 'format'?: string
  readonly 'x-kubernetes-group-version-kind'?: VersionedKind[]
}

type Definitions = Record<string, Definition>

const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity'
const INT_OR_STRING = 'int-or-string'

interface VersionedKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** The name by which kubeconform looks for the schema of a kind. */
export function schemaFile({ group, version, kind }: VersionedKind): string {
  const prefix = group === '' ? '' : `${group.split('.')[0]}-`
  return `${kind}-${prefix}${version}.json`.toLowerCase()
}

/** The folder with one JSON schema for each kind of Kubernetes. */
export const kubernetesSchemas = (): Promise<string> =>
  madeOnce(`kubernetes-schemas@${VERSION}`, async (folder) => {
    const definitions = await readDefinitions()
    for (const [name, definition] of Object.entries(definitions)) {
      const [gvk, ...others] = definition['x-kubernetes-group-version-kind'] ?? []
      if (gvk && others.length === 0 && !gvk.kind.endsWith('List')) {
        const schema = JSON.stringify(schemaOf(name, definitions))
        await writeFile(join(folder, schemaFile(gvk)), schema)
      }
    }
  })

function readDefinitions(): Promise<Definitions> {
  return readModule(`${MODULE}@${VERSION}`, async (folder) => {
    const text = await readFile(join(folder, 'api/openapi-spec/swagger.json'), 'utf8')
    return (JSON.parse(text) as { definitions: Definitions }).definitions
  })
}

/** The schema of one definition with all that it refers to. */
function schemaOf(name: string, definitions: Definitions): object {
  const reached: Record<string, object> = {}
  const reach = (each: string) => {
    if (!(each in reached)) {
      const text = JSON.stringify(withoutDescriptions(definitions[each]!))
      reached[each] = strict(each, JSON.parse(text) as Definition)
      for (const [, reference] of text.matchAll(/"#\/definitions\/([^"]+)"/g)) {
        reach(reference!)
      }
    }
  }
  reach(name)
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $ref: `#/definitions/${name}`,
    definitions: reached,
  }
}

/** Forbids unknown properties, and says what OpenAPI expresses by a format. */
function strict(name: string, definition: Definition): object {
  if (definition.format === INT_OR_STRING) {
    return { type: ['integer', 'string'] }
  }
  if (name === QUANTITY) {
    return { type: ['number', 'string'] }
  }
  return definition.properties ? { ...definition, additionalProperties: false } : definition
}

function withoutDescriptions(definition: Definition): object {
  const { properties = {}, ...rest } = definition as Definition & { description?: string }
  delete rest.description
  const plain = Object.entries(properties).map(([name, { description: _, ...property }]) => [
    name,
    property,
  ])
  return { ...rest, ...(plain.length > 0 && { properties: Object.fromEntries(plain) }) }
}
