import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { go, madeOnce } from './go_program.js'

const MODULE = 'k8s.io/kubernetes'
const VERSION = 'v1.37.2'

export const KUBERNETES_VERSION = VERSION.slice(1)

interface Definition {
  readonly 'properties'?: Record<string, Record<string, unknown>>
  readonly 'format'?: string
  readonly 'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[]
}

type Definitions = Record<string, Definition>

const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity'
const INT_OR_STRING = 'int-or-string'

/** The folder with one JSON schema for each kind of Kubernetes, named as kubeconform looks for them. */
export const kubernetesSchemas = (): Promise<string> =>
  madeOnce(`kubernetes-schemas@${VERSION}`, async (folder) => {
    const definitions = await readDefinitions()
    for (const [name, definition] of Object.entries(definitions)) {
      const [gvk, ...others] = definition['x-kubernetes-group-version-kind'] ?? []
      if (gvk && others.length === 0 && !gvk.kind.endsWith('List')) {
        const group = gvk.group === '' ? '' : `${gvk.group.split('.')[0]}-`
        const file = `${gvk.kind}-${group}${gvk.version}.json`.toLowerCase()
        await writeFile(join(folder, file), JSON.stringify(schemaOf(name, definitions)))
      }
    }
  })

/** The module is large, so nothing of it stays. */
async function readDefinitions(): Promise<Definitions> {
  const modules = await mkdtemp(join(tmpdir(), 'kubernetes-'))
  try {
    const { stdout } = await go(['mod', 'download', '-json', `${MODULE}@${VERSION}`], {
      GOMODCACHE: modules,
      GOFLAGS: '-modcacherw',
    })
    const { Dir: folder } = JSON.parse(stdout) as { Dir: string }
    const text = await readFile(join(folder, 'api/openapi-spec/swagger.json'), 'utf8')
    return (JSON.parse(text) as { definitions: Definitions }).definitions
  } finally {
    await rm(modules, { recursive: true, force: true })
  }
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
