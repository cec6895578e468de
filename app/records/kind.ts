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
  /** The column that holds its id. */
  readonly by: string
  /** Whether `include` takes it; queries may go through it in any case. */
  readonly includable: boolean
  /** Whether the record is removed with the other one. */
  readonly onDelete?: 'cascade'
}

/**
 * A kind of record, declared once: how it is stored, shown, asked for and written, and by whom.
 */
export class Kind<M extends ModelClass = ModelClass> {
  readonly name: string
  readonly collection: string
  readonly table: string
  /** The name in messages: kebab-case. */
  readonly label: string
  readonly columns: Readonly<Record<string, Column>>
  readonly relations: Readonly<Record<string, Relation>>
  /** The columns that are secret: kept out of answers, events and logs. */
  readonly secrets: readonly string[]
  readonly realm: string | undefined
  readonly audience: readonly string[]
  readonly audit: Audit
  readonly access: KindDefinition<M>['access'] & { readonly read: Access }
  readonly forcible: boolean
  readonly permissionFirst: boolean
  readonly maxBodyBytes: number | undefined
  readonly declaration: Declaration
  /** What is left of it for a caller who is not logged in, where that is anything. */
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

  /** The realm whose members may write a record; null where that is none. */
  realmOf(record: Attributes): string | null {
    const realm = this.realm === undefined ? null : record[this.realm]
    return typeof realm === 'string' ? realm : null
  }
}

/**
 * Declares a kind. Names that its model does not have do not compile; what else is wrong is said when the program starts.
 * What bodies hold that no column keeps, or that one keeps in another form, is `notAsSent`; the kind's service sees to it.
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

/** The kinds of the surfaces that this process works for. */
export const declaredKinds = (): readonly Kind[] => kinds

export const kindOfDeclaration = (declaration: Declaration): Kind =>
  findKind((kind) => kind.declaration === declaration, declaration.name)

/** Throws where a declaration promises what it cannot keep; run once all kinds are loaded. */
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
