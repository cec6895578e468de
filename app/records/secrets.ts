import type { Actor } from '#http/actor'
import type { Declaration } from '#query/declaration'
import type { Selection } from '#query/decode'
import type { Reveal } from '#query/sql/objects'
import { kindOf } from '#records/kind'

const asked = new WeakMap<Selection, boolean>()

/**
 * Whether a selection names a secret column, of the kind itself or along a relation. Almost none does, and those need not
 * ask who the caller is.
 */
export function asksForSecrets(declaration: Declaration, selection: Selection): boolean {
  let secret = asked.get(selection)
  if (secret === undefined) {
    secret = selection.fields.some((field) => isSecret(declaration, field.split('.')))
    asked.set(selection, secret)
  }
  return secret
}

/** What the secrets of any kind are to an actor. */
export function revealTo(actor: Actor): Reveal {
  return (declaration) => kindOf(declaration).reveals(actor)
}

function isSecret(declaration: Declaration, [name, ...rest]: string[]): boolean {
  if (rest.length === 0) {
    return declaration.properties[name!]?.secret ?? false
  }
  const link = declaration.relations?.links?.[name!]
  return link !== undefined && isSecret(link.target(), rest)
}
