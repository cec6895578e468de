const NONE = /^\s*(?:null|undefined|nan)?\s*$/i

/** Whether a text is what a lenient writer leaves in a column that has no value: `null`, `undefined`, `NaN` or nothing. */
export const isEmptyValue = (text: string): boolean => NONE.test(text)
