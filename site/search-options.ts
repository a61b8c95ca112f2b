/** What is searched, and what a result shows: the same for the index and for the page that loads it. */
export const SEARCH_OPTIONS = {
  fields: ['title', 'summary', 'words'],
  storeFields: ['title', 'summary', 'group'],
}
