const NONE = /^\s*(?:null|undefined|nan)?\s*$/i

/** Whether a text stands for no value: `null`, `undefined`, `NaN` or blank. */
export const isEmptyValue = (text: string): boolean => NONE.test(text)
