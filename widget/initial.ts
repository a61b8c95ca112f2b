/** The first character of a name, in capitals. */
export const initialOf = (name: string): string => [...name.trim()][0]?.toUpperCase() ?? ''
