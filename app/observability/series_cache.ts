/** A metric that finds a series by its labels: a `Counter` or a `Histogram`. */
interface Labelled<Series> {
  labels(...values: string[]): Series
}

/** Caches the series of a metric, since finding one by its labels costs more than updating it. */
export class SeriesCache<Series> {
  readonly #metric: Labelled<Series>
  readonly #series = new Map<string, Series>()

  constructor(metric: Labelled<Series>) {
    this.#metric = metric
  }

  /** `key` identifies the labels. */
  for(key: string, ...labels: string[]): Series {
    let series = this.#series.get(key)
    if (!series) {
      series = this.#metric.labels(...labels)
      this.#series.set(key, series)
    }
    return series
  }
}
