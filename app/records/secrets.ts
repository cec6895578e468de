import type { Actor } from '#kernel/actor'
import type { Selection } from '#query/decode'
import type { Reveal } from '#query/sql/object_writer'
import { projectionOf, type Projection } from '#query/sql/projection'
import type { Origin } from '#kernel/origin'
import { kindOfDeclaration, type Kind } from './kind.js'
import type { MutableAttributes } from './row.js'
import { recordSecretRead } from '#audit/record_security_event'

/** Which secrets an actor may see. */
export function revealTo(actor: Actor): Reveal {
  return (declaration) => kindOfDeclaration(declaration).reveals(actor)
}

/**
 * The secrets that a selection names, including those of relations; undefined if there are none, as for nearly every
 * query.
 */
export function selectedSecrets(kind: Kind, selection: Selection): SelectedSecrets | undefined {
  const projection = projectionOf(kind.declaration, selection)
  return projection.guarded ? new SelectedSecrets(projection, selection) : undefined
}

/** A location in an answer that may contain secrets of a kind. */
interface SecretLocation {
  readonly path: readonly string[]
  readonly kind: Kind
  readonly secrets: readonly string[]
  /** Fields that identify the owner. They are read, but removed from the answer unless they were selected. */
  readonly added: readonly string[]
}

/** The secrets in the answers to one selection. */
export class SelectedSecrets {
  /** The fields to read: the selected ones, and those that identify the owners. */
  readonly selection: Selection
  readonly #locations: readonly SecretLocation[]

  constructor(projection: Projection, { fields, relations }: Selection) {
    this.#locations = secretLocationsIn(projection)
    const added = this.#locations.flatMap((location) =>
      location.added.map((name) => [...location.path, name].join('.'))
    )
    this.selection = { fields: [...fields, ...added], relations }
  }

  /**
   * Unseals the secrets in the records that were read, which contain only those the caller may see. Each is audited
   * first, so that none is shown without a trace.
   */
  async show(origin: Origin, data: string): Promise<string> {
    const read = JSON.parse(data) as MutableAttributes | MutableAttributes[]
    const found = this.#locations.flatMap((location) =>
      [read]
        .flat()
        .flatMap((root) => recordsAt(root, location.path).map((record) => ({ location, record })))
    )
    await this.#audit(origin, found)
    await Promise.all(found.map(({ location, record }) => unseal(location, record)))
    found.forEach(({ location, record }) => location.added.forEach((name) => delete record[name]))
    return JSON.stringify(read)
  }

  async #audit(
    origin: Origin,
    found: readonly { location: SecretLocation; record: MutableAttributes }[]
  ): Promise<void> {
    const owners = new Map(
      found
        .filter(({ location, record }) =>
          location.secrets.some((name) => (record[name] ?? null) !== null)
        )
        .map(({ location: { kind }, record }) => [
          `${kind.name} ${record.id}`,
          ownerOf(kind, record),
        ])
    )
    await Promise.all([...owners.values()].map((owner) => recordSecretRead(origin, owner)))
  }
}

function secretLocationsIn(projection: Projection, path: readonly string[] = []): SecretLocation[] {
  const { declaration, names, relations } = projection
  const kind = kindOfDeclaration(declaration)
  const secrets = names.filter((name) => kind.columns[name]!.secret)
  const ownerColumns = [...new Set(['id', kind.realm ?? 'id'])]
  const added = ownerColumns.filter((name) => !names.includes(name))
  const below = [...relations].flatMap(([name, child]) => secretLocationsIn(child, [...path, name]))
  return secrets.length > 0 ? [{ path, kind, secrets, added }, ...below] : below
}

function recordsAt(
  record: MutableAttributes,
  [relation, ...rest]: readonly string[]
): MutableAttributes[] {
  if (relation === undefined) {
    return [record]
  }
  const related = record[relation] as MutableAttributes | null
  return related ? recordsAt(related, rest) : []
}

function ownerOf(kind: Kind, record: MutableAttributes) {
  return { kind: kind.name, id: String(record.id), realmId: kind.realmOf(record) }
}

async function unseal({ kind, secrets }: SecretLocation, record: MutableAttributes): Promise<void> {
  for (const name of secrets) {
    const { unseal: open } = kind.columns[name]!
    if (open && typeof record[name] === 'string') {
      record[name] = await open(record[name])
    }
  }
}
