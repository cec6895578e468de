import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { parse } from 'yaml'

import { readModule } from './go_program.js'
import { madeOnce } from './made_once.js'
import { schemaFile } from './kubernetes_schemas.js'

/** The resources of others that the chart has, and the modules that define them. */
const DEFINITIONS = [
  {
    module: 'sigs.k8s.io/gateway-api@v1.6.3',
    files: ['config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    files: ['servicemonitors', 'prometheusrules'].map(
      (name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`
    ),
  },
]

export interface CustomResourceDefinition {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly group: string
    readonly names: { readonly kind: string }
    readonly versions: { name: string; schema: { openAPIV3Schema: object } }[]
  }
}

/** The definitions as their modules publish them. */
export async function customDefinitions(): Promise<CustomResourceDefinition[]> {
  const folder = await madeOnce(nameOf('custom-definitions'), async (at) => {
    for (const { module, files } of DEFINITIONS) {
      await readModule(module, (from) =>
        Promise.all(files.map((file) => copyFile(join(from, file), join(at, basename(file)))))
      )
    }
  })
  const files = await readdir(folder)
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  return texts.map((text) => parse(text) as CustomResourceDefinition)
}

/** The folder with one JSON schema for each version of these resources. */
export const customSchemas = (): Promise<string> =>
  madeOnce(nameOf('custom-schemas'), async (folder) => {
    for (const { spec } of await customDefinitions()) {
      for (const { name: version, schema } of spec.versions) {
        const file = schemaFile({ group: spec.group, version, kind: spec.names.kind })
        await writeFile(join(folder, file), JSON.stringify(strict(schema.openAPIV3Schema)))
      }
    }
  })

const nameOf = (content: string): string =>
  [content, ...DEFINITIONS.map(({ module }) => module.split('/').at(-1))].join('-')

/** Forbids unknown properties, as the server does where a schema does not allow them. */
function strict(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) {
    return schema
  }
  if (Array.isArray(schema)) {
    return schema.map(strict)
  }
  const entries = Object.entries(schema).map(([key, value]) => [key, strict(value)])
  const isClosed =
    'properties' in schema &&
    !('additionalProperties' in schema) &&
    !('x-kubernetes-preserve-unknown-fields' in schema)
  return { ...Object.fromEntries(entries), ...(isClosed && { additionalProperties: false }) }
}
