import type { Declaration } from '#query/declaration'
import type { Selection } from '#query/selection'
import { primaryKeyOf, propertyOf } from './identifiers.js'
import { linkOf } from './joins.js'

/** The selected properties and relations of one record. */
export interface Projection {
  readonly declaration: Declaration
  readonly names: readonly string[]
  readonly relations: ReadonlyMap<string, Projection>
  /** The number of relations that lead here. */
  readonly depth: number
  /** Whether a secret is selected here or in a relation, so that the result depends on the caller. */
  readonly guarded: boolean
}

interface SelectedPaths {
  readonly fields: readonly string[][]
  readonly relations: readonly string[][]
}

const projections = new WeakMap<Selection, Projection>()

/** Converts a selection into a tree of relations. Cached per selection. */
export function projectionOf(declaration: Declaration, selection: Selection): Projection {
  let projection = projections.get(selection)
  if (projection === undefined) {
    const fields = selection.fields.map((field) => field.split('.'))
    const relations = selection.relations.map((relation) => relation.split('.'))
    projection = branch(declaration, { fields, relations }, 0, false)
    projections.set(selection, projection)
  }
  return projection
}

function branch(
  declaration: Declaration,
  selected: SelectedPaths,
  depth: number,
  included: boolean
): Projection {
  const names = namesOf(declaration, selected, included)
  const relations = new Map<string, Projection>()
  const paths = [...selected.fields.filter(({ length }) => length > 1), ...selected.relations]
  for (const relation of new Set(paths.map(([first]) => first!))) {
    const target = linkOf(declaration, relation).target()
    const named = selected.relations.some((path) => path.length === 1 && path[0] === relation)
    relations.set(relation, branch(target, below(selected, relation), depth + 1, named))
  }
  const guarded =
    names.some((name) => propertyOf(declaration, name).secret) ||
    [...relations.values()].some((relation) => relation.guarded)
  return { declaration, names, relations, depth, guarded }
}

/** An included record always has its key, in addition to the selected fields. */
function namesOf(declaration: Declaration, { fields }: SelectedPaths, included: boolean): string[] {
  const names = fields.filter(({ length }) => length === 1).map(([name]) => name!)
  if (names.length === 0 && !declaresFields(declaration)) {
    return everyName(declaration)
  }
  const key = primaryKeyOf(declaration)
  return included && names.length > 0 && !names.includes(key) ? [key, ...names] : names
}

function declaresFields({ fields }: Declaration): boolean {
  return fields?.default !== undefined || fields?.allowed !== undefined
}

function everyName({ properties }: Declaration): string[] {
  return Object.keys(properties).filter((name) => {
    const { internal, secret } = properties[name]!
    return !internal && !secret
  })
}

function below({ fields, relations }: SelectedPaths, relation: string): SelectedPaths {
  const under = (paths: readonly string[][]) =>
    paths.filter(([first, ...rest]) => first === relation && rest.length > 0)
  return {
    fields: under(fields).map((path) => path.slice(1)),
    relations: under(relations).map((path) => path.slice(1)),
  }
}
