import type { Issue, Refused } from '#client/failures'
import { EXIT, type ExitCode } from '#hubctl/exit_codes'
import { Problem } from '#hubctl/problem'
import { printable } from '#hubctl/output/printable'
import { withHubctlCommands } from './analysis_commands.js'

/** An answer of the platform with an error status. */
export class ApiError extends Problem {
  constructor(
    exitCode: ExitCode,
    message: string,
    advice: readonly string[],
    readonly status: number,
    readonly code: string | undefined
  ) {
    super(exitCode, message, advice)
  }
}

const EXIT_OF: Readonly<Record<number, ExitCode>> = {
  401: EXIT.login,
  403: EXIT.permission,
  404: EXIT.notFound,
  408: EXIT.unreachable,
  429: EXIT.unreachable,
}

/** Turns a refusal into an error with advice. */
export function apiErrorOf(refused: Refused): ApiError {
  const { status, code, reason, issues } = refused
  const exitCode = EXIT_OF[status] ?? (status >= 500 ? EXIT.unreachable : EXIT.refused)
  const message =
    conflictMessage(issues) ??
    envelopeMessage(reason) ??
    `The platform responded with status ${status}`
  const advice = [...remainingIssues(issues, message), ...adviceFor(refused)]
  return new ApiError(exitCode, asSentence(message), advice, status, code)
}

/** The message of an invalid query is only a count, so it is replaced; the issues have the details. */
function envelopeMessage(message: string | undefined): string | undefined {
  return message && (/^\d+ violations?\.?$/.test(message) ? INVALID_QUERY : withOwnNames(message))
}

const INVALID_QUERY = 'The query is invalid; hubctl get <kind> --help-kind shows what is allowed'

const withOwnNames = (text: string) => withHubctlCommands(printable(text))

/** The issues whose text is not part of the message. */
function remainingIssues(issues: readonly Issue[], message: string): string[] {
  return issues.flatMap((issue) => {
    if (issue.issues) {
      return remainingIssues(issue.issues, message)
    }
    const text = withOwnNames(issueText(issue))
    const isRepeated =
      asSentence(text) === asSentence(message) ||
      (issue.message && message.includes(withOwnNames(issue.message)))
    return isRepeated ? [] : [text]
  })
}

function issueText(issue: Issue): string {
  const { code = '', path = [], message = '' } = issue
  const where = path.join('.')
  if (code === CONFLICT) {
    return conflictText(issue)
  }
  if (code === 'permission_not_found') {
    return `The permission ${where} is required.`
  }
  return [where, message || code].filter(Boolean).join(': ')
}

const CONFLICT = 'value_exists'

/** The message if a uniqueness conflict is the only issue. */
function conflictMessage([issue, ...others]: readonly Issue[]): string | undefined {
  return issue?.code === CONFLICT && others.length === 0 ? conflictText(issue) : undefined
}

/** Describes a uniqueness conflict. A realm in the path only narrows where it applies. */
function conflictText({ path = [] }: Issue): string {
  const shared = path.filter((name) => name !== 'realmId')
  const where = path.length > shared.length ? ' of its realm' : ''
  return `The ${shared.join(' and ')} is taken: another record${where} has it already.`
}

function adviceFor({ status, retryAfterMs, requestId }: Refused): string[] {
  switch (status) {
    case 401:
      return ['The token is invalid or has expired. Log in: hubctl login']
    case 403:
      return ['See your permissions: hubctl whoami. An administrator can grant you a role.']
    case 404:
      return ['List the records: hubctl get <kind>']
    case 429:
      return [`Wait ${secondsOf(retryAfterMs)} seconds and try again.`]
    default:
      return status >= 500
        ? ['Check the platform: hubctl status', ...adviceForRequest(requestId)]
        : []
  }
}

const secondsOf = (ms: number | undefined) => (ms === undefined ? 'some' : Math.ceil(ms / 1000))

/** Proxies answer without an id. */
const adviceForRequest = (id: string | undefined): string[] =>
  id === undefined ? [] : [`An operator sees what happened: hubctl trace ${printable(id)}`]

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
