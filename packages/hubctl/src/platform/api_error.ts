import { EXIT, type ExitCode } from '#hubctl/exit_codes'
import { Problem } from '#hubctl/problem'
import { printable } from '#hubctl/output/printable'
import { withHubctlCommands } from './analysis_commands.js'
import { boundedText } from './bounded_body.js'

interface Issue {
  readonly code?: string
  readonly path?: readonly string[]
  readonly message?: string
  readonly issues?: readonly Issue[]
}

interface Envelope {
  readonly code?: string
  readonly message?: string
  readonly issues?: readonly Issue[]
}

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

/** Turns an answer with an error status into an error with advice. */
export async function apiErrorFrom(response: Response): Promise<ApiError> {
  const { status } = response
  const envelope = await envelopeOf(response)
  const exitCode = EXIT_OF[status] ?? (status >= 500 ? EXIT.unreachable : EXIT.refused)
  const message =
    conflictMessage(envelope?.issues) ??
    envelopeMessage(envelope?.message) ??
    `The platform responded with status ${status}`
  const advice = [
    ...remainingIssues(envelope?.issues, message),
    ...adviceFor(status, response.headers),
  ]
  return new ApiError(exitCode, asSentence(message), advice, status, envelope?.code)
}

/** The message of an invalid query is only a count, so it is replaced; the issues have the details. */
function envelopeMessage(message: string | undefined): string | undefined {
  return message && (/^\d+ violations?\.?$/.test(message) ? INVALID_QUERY : withOwnNames(message))
}

const INVALID_QUERY = 'The query is invalid; hubctl get <kind> --help-kind shows what is allowed'

const withOwnNames = (text: string) => withHubctlCommands(printable(text))

const MAX_ENVELOPE_BYTES = 1024 ** 2

async function envelopeOf(response: Response): Promise<Envelope | undefined> {
  const text = await boundedText(response, MAX_ENVELOPE_BYTES).catch(() => '')
  try {
    const content: unknown = JSON.parse(text)
    return typeof content === 'object' && content !== null ? content : undefined
  } catch {
    return undefined
  }
}

/** The issues whose text is not part of the message. */
function remainingIssues(issues: readonly Issue[] = [], message: string): string[] {
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
function conflictMessage([issue, ...others]: readonly Issue[] = []): string | undefined {
  return issue?.code === CONFLICT && others.length === 0 ? conflictText(issue) : undefined
}

/** Describes a uniqueness conflict. A realm in the path only narrows where it applies. */
function conflictText({ path = [] }: Issue): string {
  const shared = path.filter((name) => name !== 'realmId')
  const where = path.length > shared.length ? ' of its realm' : ''
  return `The ${shared.join(' and ')} is taken: another record${where} has it already.`
}

function adviceFor(status: number, headers: Headers): string[] {
  switch (status) {
    case 401:
      return ['The token is invalid or has expired. Log in: hubctl login']
    case 403:
      return ['See your permissions: hubctl whoami. An administrator can grant you a role.']
    case 404:
      return ['List the records: hubctl get <kind>']
    case 429:
      return [`Wait ${headers.get('retry-after') ?? 'some'} seconds and try again.`]
    default:
      return status >= 500
        ? ['Check the platform: hubctl status', ...adviceForRequest(headers)]
        : []
  }
}

/** Proxies answer without an id. */
function adviceForRequest(headers: Headers): string[] {
  const id = headers.get('x-request-id')
  return id === null ? [] : [`An operator sees what happened: hubctl trace ${printable(id)}`]
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
