import { errors } from '@vinejs/vine'
import type { ErrorReporterContract, FieldContext } from '@vinejs/vine/types'

import { BadRequest } from './failures.js'
import { issue, type IssueItem } from './issues.js'

/** Replaces a null where null is not allowed, so that the type rule of the attribute rejects it. */
export const FORBIDDEN_NULL = Symbol('null')

type RuleMeta = Record<string, unknown>
interface RuleMapping {
  code: string
  data?: (meta: RuleMeta) => RuleMeta
  /** Extra fields of the issue's `meta`. */
  meta?: (meta: RuleMeta) => RuleMeta
  /** Replaces Vine's message, which does not list the choices. */
  message?: (meta: RuleMeta) => string
}

const min = (meta: RuleMeta) => ({ min: meta.min })
const max = (meta: RuleMeta) => ({ max: meta.max })

const closedSet: RuleMapping = {
  code: 'one_of_failed',
  meta: ({ choices }) => ({ choices }),
  message: ({ choices }) => `The value has to be one of ${(choices as unknown[]).join(', ')}`,
}

const CODE_BY_RULE: Record<string, RuleMapping> = {
  required: { code: 'required' },
  enum: closedSet,
  in: closedSet,
  minLength: { code: 'min_length', data: min },
  notEmpty: { code: 'min_length', data: () => ({ min: 1 }) },
  maxLength: { code: 'max_length', data: max },
  min: { code: 'min_value', data: min },
  max: { code: 'max_value', data: max },
  range: { code: 'min_value', data: min },
  regex: { code: 'pattern' },
  shape: { code: 'pattern', data: (meta) => ({ pattern: `/${String(meta.pattern)}/` }) },
  uuid: { code: 'uuid' },
  email: { code: 'email' },
  url: { code: 'url' },
  date: { code: 'date' },
  ipAddress: { code: 'ip_address' },
}

const TYPE_RULES = new Set(['string', 'number', 'boolean', 'array', 'object', 'record', 'date'])

/** Collects the errors of Vine as issues: one per attribute. List positions are not part of the path. */
export class IssueReporter implements ErrorReporterContract {
  readonly #issues = new Map<string, IssueItem>()
  readonly #optional: ReadonlySet<string>

  constructor(optional: ReadonlySet<string>) {
    this.#optional = optional
  }

  get hasErrors(): boolean {
    return this.#issues.size > 0
  }

  report(message: string, rule: string, field: FieldContext, meta: RuleMeta = {}): void {
    const path = field.wildCardPath.split('.').filter((part) => part !== '*' && part !== '')
    const where = field.getFieldPath()
    if (!this.#issues.has(where)) {
      const extra = this.#optional.has(field.wildCardPath) ? { optional: true } : {}
      this.#issues.set(where, issueOf(message, rule, field, path, meta, extra))
    }
  }

  createError(): InstanceType<typeof errors.E_VALIDATION_ERROR> {
    return new errors.E_VALIDATION_ERROR([...this.#issues.values()])
  }
}

function issueOf(
  message: string,
  rule: string,
  field: FieldContext,
  path: string[],
  meta: RuleMeta,
  extra: RuleMeta
): IssueItem {
  const isNull = field.value === FORBIDDEN_NULL || field.value === null
  const mapping = isNull ? undefined : CODE_BY_RULE[rule]
  if (!mapping) {
    const expected = TYPE_RULES.has(rule)
      ? { expected: rule }
      : isNull
        ? { expected: 'a value' }
        : {}
    return issue('value_invalid', path, isNull ? 'null is not allowed here' : message, {
      ...expected,
      meta: { ...extra, ...(isNull && CODE_BY_RULE[rule]?.meta?.(meta)) },
    })
  }
  return issue(mapping.code, path, mapping.message?.(meta) ?? message, {
    ...(mapping.data && { data: mapping.data(meta) }),
    meta: { ...extra, ...mapping.meta?.(meta) },
  })
}

/**
 * The failure for a body that Vine rejected. Its message names each attribute once; with a single issue it includes the
 * reason.
 */
export function bodyFailure(error: InstanceType<typeof errors.E_VALIDATION_ERROR>): BadRequest {
  const issues = error.messages as IssueItem[]
  const names = [...new Set(issues.map(({ path }) => path.join('.')))].filter(Boolean)
  if (issues.length === 1 && names.length === 1) {
    return BadRequest.attribute(issues[0]!, error)
  }
  const message =
    names.length === 1
      ? `Property ${names[0]} is invalid`
      : names.length > 1
        ? `Properties ${names.join(', ')} are invalid.`
        : (issues[0]?.message ?? 'The body is invalid')
  return new BadRequest(message, { issues, cause: error })
}
