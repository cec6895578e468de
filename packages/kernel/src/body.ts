import vine, { errors } from '@vinejs/vine'
import type { Infer, SchemaTypes, UndefinedOptional } from '@vinejs/vine/types'

import { FORBIDDEN_NULL, IssueReporter } from './body_issues.js'
import { issue } from './issues.js'
import { bodySchema } from './body_schema.js'
import type { JsonSchema } from './json_schema.js'
import { knownAttributes, unknownPaths, type KnownAttributes } from './unknown_paths.js'

/** The part of Vine's compiled schema that states optional and nullable values. */
interface SchemaNode {
  type: string
  propertyName: string
  allowNull: boolean
  isOptional: boolean
  properties?: SchemaNode[]
  each?: SchemaNode
}

/**
 * The validator of a request body. Types are strict (`"5"` is not a number), null does not stand for a missing
 * attribute, and unknown attributes are ignored.
 */
export class BodyValidator<Body> {
  readonly #validator
  readonly #root: SchemaNode
  readonly #known: KnownAttributes
  readonly #optional: ReadonlySet<string>
  readonly #constraints: JsonSchema

  constructor(properties: Record<string, SchemaTypes>, constraints: JsonSchema = {}) {
    this.#constraints = constraints
    this.#validator = vine.create(vine.object(properties))
    this.#root = this.#validator.toJSON().schema.schema as SchemaNode
    this.#known = knownAttributes(this.#root)
    this.#optional = new Set(optionalPaths(this.#root))
    this.#validator.errorReporter = () => new IssueReporter(this.#optional)
  }

  /** Returns the validated body; throws Vine's error, which becomes one issue per rejected attribute. */
  async validate(content: unknown): Promise<Body> {
    const sent = content === undefined ? {} : requireObject(content)
    return (await this.#validator.validate(withForbiddenNulls(sent, this.#root))) as Body
  }

  /** The paths of attributes that the body does not declare. */
  dropped(content: unknown): string[][] {
    return unknownPaths(content, this.#known)
  }

  /** The JSON schema of the body, for the OpenAPI document. */
  jsonSchema(): Record<string, unknown> {
    return { ...bodySchema(this.#validator), ...this.#constraints }
  }
}

/**
 * Declares a body by its attributes. The handler checks rules between attributes; `constraints` documents them in the
 * JSON schema.
 */
export function body<Properties extends Record<string, SchemaTypes>>(
  properties: Properties,
  constraints?: JsonSchema
) {
  return new BodyValidator<
    UndefinedOptional<{ [Name in keyof Properties]: Infer<Properties[Name]> }>
  >(properties, constraints)
}

export type BodyOf<Validator> = Validator extends BodyValidator<infer Body> ? Body : never

/** Throws Vine's error if the body is not an object. */
export function requireObject(content: unknown): Record<string, unknown> {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    const message = 'The body must be a JSON object'
    throw new errors.E_VALIDATION_ERROR([
      issue('value_invalid', [], message, { expected: 'object' }),
    ])
  }
  return content as Record<string, unknown>
}

function withForbiddenNulls(value: unknown, node: SchemaNode): unknown {
  if (value === null) {
    return node.allowNull || !node.isOptional ? null : FORBIDDEN_NULL
  }
  if (Array.isArray(value)) {
    const each = node.each
    return each ? value.map((item) => withForbiddenNulls(item, each)) : value
  }
  if (typeof value === 'object' && node.properties) {
    return propertiesWithForbiddenNulls(value as Record<string, unknown>, node.properties)
  }
  return value
}

/** Copies the object only if it contains a forbidden null, which is rare. */
function propertiesWithForbiddenNulls(
  sent: Record<string, unknown>,
  properties: readonly SchemaNode[]
): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined
  for (const property of properties) {
    const name = property.propertyName
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined
    const replaced = withForbiddenNulls(value, property)
    if (replaced !== value) {
      copy ??= { ...sent }
      copy[name] = replaced
    }
  }
  return copy ?? sent
}

function optionalPaths(node: SchemaNode, prefix: readonly string[] = []): string[] {
  const children = [...(node.properties ?? []), ...(node.each ? [node.each] : [])]
  return children.flatMap((child) => {
    const path = [...prefix, child.propertyName]
    return [...(child.isOptional ? [path.join('.')] : []), ...optionalPaths(child, path)]
  })
}
