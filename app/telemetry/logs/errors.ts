import { BadRequest, ServiceUnavailable } from '#kernel/failures'
import { issue } from '#kernel/issues'

/** The line would be dropped by the store, at once or before anybody could find it. */
export class OutsideRetention extends BadRequest {
  constructor(time: string) {
    super('The log store does not keep lines of this time', {
      issues: [
        issue('value_invalid', ['time'], `${time} is outside of what the log store keeps`, {
          meta: { variable: 'LOGSTORE_RETENTION_DAYS' },
        }),
      ],
    })
  }
}

/** A filter that would have to be bent to be asked; what it would find then is not what was asked for. */
export class FilterUnsupported extends BadRequest {
  constructor(key: string, problem: string) {
    super(`Logs cannot be filtered so: ${problem}`, {
      issues: [
        issue('operatorUnsupported', [key], problem, { meta: { parameter: 'filters', key } }),
      ],
    })
  }
}

/** The log store does not answer, or answers that it cannot now. */
export class LogStoreUnavailable extends ServiceUnavailable {
  constructor(cause?: unknown) {
    super('The log store does not answer; try again shortly', {
      cause,
      headers: { 'retry-after': '5' },
    })
  }
}

/** More lines wait for the log store than are kept waiting. */
export class LogStoreOverrun extends ServiceUnavailable {
  constructor() {
    super('More log lines come in than the log store takes; try again shortly', {
      headers: { 'retry-after': '5' },
    })
  }
}

/** The log store has no way of removing lines, or not these. */
export class DeletionUnsupported extends ServiceUnavailable {
  constructor(readonly reason: string) {
    super(`Logs cannot be deleted here: ${reason}`)
  }
}
