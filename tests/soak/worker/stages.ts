/** Components with unfinished stages in the output of a worker. */
export function stagesUnderWay(output: string): Set<string> {
  const open = new Map<string, number>()
  for (const line of output.split('\n')) {
    const { component, msg = '' } = content(line)
    if (component !== undefined) {
      const change = msg.endsWith(': started') ? 1 : / done in [\d.]+ s$/.test(msg) ? -1 : 0
      open.set(component, (open.get(component) ?? 0) + change)
    }
  }
  return new Set([...open].filter(([, count]) => count > 0).map(([component]) => component))
}

function content(line: string): { component?: string; msg?: string } {
  try {
    return JSON.parse(line)
  } catch {
    return {}
  }
}
