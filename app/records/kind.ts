import { loggedIn, type Access } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import { checkDeclaration } from '#query/check_declaration'
import type { SqlCondition } from '#query/condition'
import type { Declaration } from '#query/declaration'
import { DEFAULT_AUDIT, type Audit } from './audit.js'
import { columnsOf, type Column } from './column.js'
import { declarationOf, restrictTo } from './declaration_of.js'
import type { AnyBody, StoredBody, KindDefinition } from './kind_definition.js'
import type { ModelClass } from './model.js'
import { belongsToRelations } from './relation.js'
import type { Attributes } from './row.js'

/** A relation to one record of another kind. */
export interface Relation {
  readonly to: () => Kind
  /** The column with its id. */
  readonly by: string
  /** Whether `include` accepts it; queries may always traverse it. */
  readonly includable: boolean
  /** Whether the record is deleted together with the related one. */
  readonly onDelete?: 'cascade'
}

/** A kind of record, declared once: its storage, wire format, queries, writes and access rules. */
export class Kind<M extends ModelClass = ModelClass> {
  readonly name: string
  readonly collection: string
  readonly table: string
  /** The kebab-case name in messages. */
  readonly label: string
  readonly columns: Readonly<Record<string, Column>>
  readonly relations: Readonly<Record<string, Relation>>
  /** The secret columns, which are omitted from answers, events and logs. */
  readonly secrets: readonly string[]
  readonly realm: string | undefined
  readonly audience: readonly string[]
  readonly audit: Audit
  readonly access: KindDefinition<M>['access'] & { readonly read: Access }
  readonly forcible: boolean
  readonly permissionFirst: boolean
  readonly maxBodyBytes: number | undefined
  readonly declaration: Declaration
  /** The declaration for anonymous callers, if the kind is public. */
  readonly openDeclaration: Declaration | undefined
  readonly createBody: AnyBody | undefined
  readonly updateBody: AnyBody | undefined
  readonly precondition: string | undefined
  readonly reveals: (actor: Actor) => boolean | SqlCondition

  constructor(
    readonly model: M,
    definition: KindDefinition<M>
  ) {
    const { name, realm, access, openFields } = definition
    this.name = name
    this.collection = definition.collection
    this.table = model.table
    this.label = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    this.columns = columnsOf(model)
    this.secrets = Object.keys(this.columns).filter((column) => this.columns[column]!.secret)
    this.relations = relationsOf(model, definition.includable)
    this.realm = realm
    this.audience = definition.audience ?? (realm === undefined ? [] : [realm])
    this.audit = { ...DEFAULT_AUDIT, ...definition.audit }
    this.access = { read: loggedIn, ...access }
    this.forcible = definition.forcible ?? false
    this.permissionFirst = definition.permissionFirst ?? false
    this.maxBodyBytes = definition.maxBodyBytes
    this.declaration = declarationOf(this, definition)
    this.openDeclaration = openFields && restrictTo(this.declaration, openFields)
    this.createBody = definition.create
    this.updateBody = definition.update
    this.precondition = definition.precondition
    this.reveals = definition.reveals ?? (() => false)
  }

  /** The realm that owns a record; null if the record has none. */
  realmOf(record: Attributes): string | null {
    const realm = this.realm === undefined ? null : record[this.realm]
    return typeof realm === 'string' ? realm : null
  }
}

/**
 * Declares a kind. Column names that the model lacks do not compile; other mistakes are reported by `validateKinds` at
 * start. Attributes of a body that no column stores, or that are stored in another form, are listed in `notAsSent` and
 * handled by the kind's service.
 */
export function defineKind<
  M extends ModelClass,
  Create extends AnyBody,
  Update extends AnyBody,
  NotAsSent extends string = never,
>(
  model: M,
  definition: KindDefinition<
    M,
    Create & StoredBody<M, Create, NotAsSent>,
    Update & StoredBody<M, Update, NotAsSent>
  > & { readonly notAsSent?: readonly NotAsSent[] }
): Kind<M> {
  const kind = new Kind(model, definition)
  kinds.push(kind)
  return kind
}

const kinds: Kind[] = []

/** The kinds of the surfaces that this process serves. */
export const declaredKinds = (): readonly Kind[] => kinds

export const kindOfDeclaration = (declaration: Declaration): Kind =>
  findKind((kind) => kind.declaration === declaration, declaration.name)

/** Throws if a declaration is inconsistent. Runs after all kinds are loaded. */
export function validateKinds(): void {
  const problems = kinds.flatMap(({ declaration, openDeclaration = declaration }) =>
    [...new Set([declaration, openDeclaration])].flatMap(checkDeclaration)
  )
  if (problems.length > 0) {
    throw new Error(`Some kinds are declared wrongly:\n${problems.join('\n')}`)
  }
}

function relationsOf(model: ModelClass, includable: readonly string[] = []) {
  const relations = belongsToRelations(model).map(({ name, to, foreignKey, onDelete }) => {
    const kind = () => findKind((candidate) => candidate.model === to(), to().name)
    return [name, { to: kind, by: foreignKey, includable: includable.includes(name), onDelete }]
  })
  return Object.fromEntries(relations) as Readonly<Record<string, Relation>>
}

function findKind(matches: (kind: Kind) => boolean, name: string): Kind {
  const kind = kinds.find(matches)
  if (!kind) {
    throw new Error(`${name} is declared by no kind`)
  }
  return kind
}
