// A language that is chosen once is shown in all samples, on the next pages too.

const KEY = 'foyer-docs-language'

const inputs = [...document.querySelectorAll<HTMLInputElement>('.tabs__names input')]

const choose = (language: string | null): void => {
  for (const input of inputs) if (input.value === language) input.checked = true
}

for (const input of inputs)
  input.addEventListener('change', () => {
    choose(input.value)
    localStorage.setItem(KEY, input.value)
  })
choose(localStorage.getItem(KEY))
