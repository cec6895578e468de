import type pg from 'pg'

/** What PostgreSQL reports of a session when it begins, and of each change, without a query. */
interface ParameterStatus {
  readonly parameterName: string
  readonly parameterValue: string
}

const REASONS: Readonly<Record<string, string>> = {
  in_hot_standby: 'it is a standby',
  default_transaction_read_only: 'it only allows reads',
}

/** A session on a standby, or of a server or user that may only read. */
export class SessionReadOnly extends Error {
  static readonly code = 'E_SESSION_READ_ONLY'
  readonly code = SessionReadOnly.code
}

/** Calls back when the server reports that the session cannot write: before its first query, or when that changes. */
export function onReadOnly(
  { connection }: Pick<pg.Client, 'connection'>,
  listener: (error: SessionReadOnly) => void
): void {
  connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
    const reason = REASONS[parameterName]
    if (reason && parameterValue === 'on') {
      listener(new SessionReadOnly(reason))
    }
  })
}
