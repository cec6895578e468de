import { EXIT, type ExitCode } from '#hubctl/exit_codes'
import { Problem } from '#hubctl/problem'
import { printable } from '#hubctl/output/printable'
import { withHubctlCommands } from './analysis_commands.js'

interface Issue {
  readonly code?: string
  readonly path?: readonly string[]
  readonly message?: string
  readonly issues?: readonly Issue[]
}

export interface Envelope {
  readonly code?: string
  readonly message?: string
  readonly issues?: readonly Issue[]
}

/** The platform has answered, and not with what it was asked for. */
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

/** What an answer with an error status means for a person. */
export async function apiErrorFrom(response: Response): Promise<ApiError> {
  const { status } = response
  const envelope = await envelopeOf(response)
  const exitCode = EXIT_OF[status] ?? (status >= 500 ? EXIT.unreachable : EXIT.refused)
  const message =
    conflictMessage(envelope?.issues) ??
    envelopeMessage(envelope?.message) ??
    `It was answered with ${status}`
  const advice = [
    ...remainingIssues(envelope?.issues, message),
    ...adviceFor(status, response.headers),
  ]
  return new ApiError(exitCode, asSentence(message), advice, status, envelope?.code)
}

/** Of a query that is not understood, the message is a count; the issues say the rest. */
function envelopeMessage(message: string | undefined): string | undefined {
  return message && (/^\d+ violations?\.?$/.test(message) ? INVALID_QUERY : withOwnNames(message))
}

const INVALID_QUERY =
  'The platform does not know what was asked for; hubctl get <kind> --help-kind shows what can be'

const withOwnNames = (text: string) => withHubctlCommands(printable(text))

async function envelopeOf(response: Response): Promise<Envelope | undefined> {
  const text = await response.text().catch(() => '')
  try {
    const content: unknown = JSON.parse(text)
    return typeof content === 'object' && content !== null ? content : undefined
  } catch {
    return undefined
  }
}

/** What issues say beside what was said already. */
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
    return `You would need the permission ${where}.`
  }
  return [where, message || code].filter(Boolean).join(': ')
}

const CONFLICT = 'value_exists'

/** Where all that is wrong is that something is taken, that is what is said. */
function conflictMessage([issue, ...others]: readonly Issue[] = []): string | undefined {
  return issue?.code === CONFLICT && others.length === 0 ? conflictText(issue) : undefined
}

/** The attributes that no two records may share, of which a realm is only where they may not. */
function conflictText({ path = [] }: Issue): string {
  const shared = path.filter((name) => name !== 'realmId')
  const where = path.length > shared.length ? ' of its realm' : ''
  return `The ${shared.join(' and ')} is taken: another record${where} has it already.`
}

function adviceFor(status: number, headers: Headers): string[] {
  switch (status) {
    case 401:
      return ['The token is not accepted, or not any more. Log in: hubctl login']
    case 403:
      return ['What you may do: hubctl whoami. Somebody with more rights can give you a role.']
    case 404:
      return ['See what there is: hubctl get <kind>']
    case 429:
      return [`Wait ${headers.get('retry-after') ?? 'some'} seconds and try again.`]
    default:
      return status >= 500 ? ['Look at the platform: hubctl status'] : []
  }
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
