import { BadRequest, ServiceUnavailable } from '#kernel/failures'
import { issue } from '#kernel/issues'

/** The store would drop the line because of its time. */
export class OutsideRetention extends BadRequest {
  constructor(time: string) {
    super('The log store does not accept lines of this time', {
      issues: [
        issue('value_invalid', ['time'], `${time} is outside the retention of the log store`, {
          meta: { variable: 'LOGSTORE_RETENTION_DAYS' },
        }),
      ],
    })
  }
}

/** A filter that the log store cannot evaluate exactly. */
export class FilterUnsupported extends BadRequest {
  constructor(key: string, problem: string) {
    super(`Unsupported filter for logs: ${problem}`, {
      issues: [
        issue('operatorUnsupported', [key], problem, { meta: { parameter: 'filters', key } }),
      ],
    })
  }
}

/** The log store is unreachable or unable to serve. */
export class LogStoreUnavailable extends ServiceUnavailable {
  constructor(cause?: unknown) {
    super('The log store does not answer; try again shortly', {
      cause,
      headers: { 'retry-after': '5' },
    })
  }
}

/** The queue of lines for the log store is full. */
export class LogStoreOverrun extends ServiceUnavailable {
  constructor() {
    super('The log store is overloaded; try again shortly', {
      headers: { 'retry-after': '5' },
    })
  }
}

/** The log store cannot delete lines, or not these. */
export class DeletionUnsupported extends ServiceUnavailable {
  constructor(readonly reason: string) {
    super(`Logs cannot be deleted here: ${reason}`)
  }
}
