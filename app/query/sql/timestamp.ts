const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):?(\d\d))?)?$/i

const MINUTE = 60_000

/** Normalizes a date, or date and time; without an offset it is UTC. */
export function readTimestamp(text: string): string | undefined {
  const match = ISO.exec(text)
  if (match === null) {
    return undefined
  }
  const [year, month, day, hour, minute, second] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0)) as [number, number, number, number, number, number]
  if (hour > 23 || minute > 59 || second > 59) {
    return undefined
  }

  const milliseconds = Math.trunc(Number(`0.${match[7] ?? 0}`) * 1000)
  const local = Date.UTC(2000, month - 1, day, hour, minute, second, milliseconds)
  const date = new Date(local)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) {
    return undefined
  }

  const offset = (Number(match[9] ?? 0) * 60 + Number(match[10] ?? 0)) * MINUTE
  return spelled(new Date(date.getTime() - (match[8] === '-' ? -offset : offset)))
}

/** An offset can move a date beyond the years that PostgreSQL reads with four digits. */
function spelled(date: Date): string | undefined {
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999 ? date.toISOString() : undefined
}

/** The SQL that formats a time as records do, in UTC with milliseconds. */
export const timestampText = (expression: string): string =>
  `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
