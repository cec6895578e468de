import { BodyUnusable } from '#client/body'
import { ListTooLong } from '#client/pages'
import { EXIT } from '#hubctl/exit_codes'
import { Problem } from '#hubctl/problem'

/** The problem of an answer that cannot be used; any other error as it is. */
export function unusableAnswer(error: unknown): unknown {
  if (error instanceof ListTooLong) {
    return new Problem(EXIT.refused, error.message, ['Ask for fewer: --filter or --limit'])
  }
  if (!(error instanceof BodyUnusable)) {
    return error
  }
  const message = `The platform ${error.reason}.`
  return error.problem === 'tooSlow' || error.problem === 'brokeOff'
    ? new Problem(EXIT.unreachable, message, ['Run the same command again.'])
    : new Problem(EXIT.failed, message)
}
