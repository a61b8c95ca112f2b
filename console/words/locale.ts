// The language that this page's texts are in, and the viewer's own variant of it for dates and numbers.
export const LANGUAGE = globalThis.document?.documentElement.lang || 'en'
export const LOCALE = navigator.languages.find((tag) => tag.split('-', 1)[0] === LANGUAGE) ?? LANGUAGE
