const CODING = /^\s*([\w*-]+)\s*(?:;\s*q\s*=\s*([\d.]+)\s*)?$/i

/** Whether a caller accepts gzip, according to `Accept-Encoding`. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const weights = new Map<string, number>()
  for (const item of String(header ?? '').split(',')) {
    const [, coding, weight = '1'] = CODING.exec(item) ?? []
    if (coding) {
      weights.set(coding.toLowerCase(), Number(weight))
    }
  }
  const weight = weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0
  return weight > 0
}
