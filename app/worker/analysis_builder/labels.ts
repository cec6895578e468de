/** Labels of an analysis image. They are the same for every build of the same content. */
export const LABELS = {
  analysis: 'analysis-hub.analysis',
  content: 'analysis-hub.content',
  recipe: 'analysis-hub.recipe',
  baseName: 'org.opencontainers.image.base.name',
  baseDigest: 'org.opencontainers.image.base.digest',
} as const

/** Version of the build process. Increase it if the same content gives a different image. */
const RECIPE = '1'

interface ImageOrigin {
  readonly analysisId: string
  readonly content: string | undefined
  readonly base: { readonly name: string; readonly digest: string }
}

export function labelsOf({ analysisId, content, base }: ImageOrigin): Record<string, string> {
  return {
    [LABELS.analysis]: analysisId,
    ...(content !== undefined && { [LABELS.content]: content }),
    [LABELS.recipe]: RECIPE,
    [LABELS.baseName]: base.name,
    [LABELS.baseDigest]: base.digest,
  }
}

/** The content digest in a command, which nodes approved. Other platforms do not send it. */
export function contentIn({ content }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof content === 'string' && /^[\da-f]{64}$/.test(content) ? content : undefined
}
