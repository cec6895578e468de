import { BaseReporter } from '@japa/runner/core'

/**
 * Ends a run with one plain line that scripts can read: `N passed, N failed, N skipped`.
 */
class ClosingLine extends BaseReporter {
  async end(): Promise<void> {
    const { passed, failed, skipped, todo } = this.runner!.getSummary().aggregates
    process.once('exit', () => {
      console.log(`\n${passed} passed, ${failed} failed, ${skipped + todo} skipped`)
    })
  }
}

export function closingLine() {
  return {
    name: 'closing line',
    handler: (...args: Parameters<BaseReporter['boot']>) => new ClosingLine().boot(...args),
  }
}
