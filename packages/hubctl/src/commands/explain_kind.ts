import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { propertiesOf, type Kind } from '#hubctl/kinds/kind'
import { Kinds } from '#hubctl/kinds/kinds'
import type { Fields } from '#hubctl/platform/pages'
import type { JsonSchema } from '#kernel/json_schema'

export function explainCommand(): Command {
  return new Command('explain')
    .description('show the attributes of a kind, their types, and which can be written')
    .argument('<kind>', 'a kind of record, from hubctl kinds')
    .action(perform(explain))
}

async function explain(invocation: Invocation, kindName: string): Promise<void> {
  const kind = await new Kinds(await invocation.api()).find(kindName)
  invocation.output.records(attributesOf(kind), {
    kind: 'attribute',
    columns: ['name', 'type', 'create', 'update', 'description'],
    nothing: `The platform does not publish the attributes of a ${kind.name}.`,
  })
}

function attributesOf(kind: Kind): Fields[] {
  const [shown, create, update] = [kind.record, kind.create, kind.update].map(propertiesOf)
  const names = new Set([shown, create, update].flatMap((schema) => Object.keys(schema!)))
  return [...names].map((name) => {
    const schema = shown![name] ?? create![name] ?? update![name]!
    const written = create![name] ?? update![name] ?? {}
    return {
      name,
      type: typeOf(shown![name] ? { ...written, ...schema } : schema),
      create: requirementOf(kind.create, name),
      update: requirementOf(kind.update, name),
      description: (schema.description ?? written.description ?? null) as string | null,
    }
  })
}

function requirementOf(schema: JsonSchema | undefined, name: string): string | null {
  if (!Object.hasOwn(propertiesOf(schema), name)) {
    return null
  }
  const required = schema?.required as readonly string[] | undefined
  return required?.includes(name) ? 'required' : 'optional'
}

/** A readable type: `text or null`, `one of master, default`. */
function typeOf(schema: JsonSchema): string {
  const { type, format, enum: choices, const: constant, items, oneOf, anyOf } = schema
  if (choices) {
    return `one of ${(choices as readonly unknown[]).map(String).join(', ')}`
  }
  const alternatives = (oneOf ?? anyOf) as readonly JsonSchema[] | undefined
  if (alternatives) {
    return [...new Set(alternatives.map(typeOf))].join(' or ')
  }
  if (constant !== undefined) {
    return String(constant)
  }
  const types = [type ?? []].flat() as string[]
  const words = types.map((one) => {
    if (one === 'array') {
      return `list of ${typeOf((items ?? {}) as JsonSchema)}`
    }
    return one === 'string' ? String(format ?? one) : one
  })
  return words.join(' or ') || 'any'
}
