// What the head of the list opens, in one file: the first of them loads the others.
export { ChosenFilters, FilterMenu } from './filter-menu.tsx'
export { default as SavedViews } from './saved-views.tsx'
export { default as ViewMenu } from './view-menu.tsx'
export { default as ViewsMenu } from './views-menu.tsx'
