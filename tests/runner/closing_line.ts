/** The one plain line that ends a run, which scripts can read. */
export function closingLine({
  passed,
  failed,
  skipped,
}: Record<'passed' | 'failed' | 'skipped', number>): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}
