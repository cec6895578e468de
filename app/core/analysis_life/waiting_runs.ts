/** The status of the process of a run. */
export const statusOfRun = (run: string, analysis: string): string =>
  `case ${run}.process when 'build' then ${analysis}.build_status else ${analysis}.distribution_status end`

/**
 * Whether the command or check of a run `r` of an analysis `a` still waits in the queue of the workers: earlier ones
 * are not finished, and workers report. If no worker reports at all, no run counts as waiting.
 */
export const isWaiting = ({ running, silenceSeconds }: Placeholders): string =>
  `(exists (
      select 1 from analysis_runs o join analyses b on b.id = o.analysis_id
      where o.process = r.process and o.analysis_id <> r.analysis_id
        and o.started_at < case ${statusOfRun('r', 'a')} when 'starting' then r.started_at
          else r.check_requested_at end
        and ${statusOfRun('o', 'b')} = any(${running}))
    and exists (
      select 1 from analysis_runs h where h.process = r.process and h.reported_at > h.started_at
        and h.reported_at >= now() - make_interval(secs => ${silenceSeconds})))`

/** Placeholders of the statement. */
interface Placeholders {
  /** The states of a running process. */
  readonly running: string
  readonly silenceSeconds: string
}
