import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { chooseLanguage, languages } from './languages.ts'
import { englishLauncher } from './launcher.ts'

type Text = string | Record<string, string>
const read = (language: string): Record<string, Text> =>
  JSON.parse(readFileSync(new URL(`words/${language}.json`, import.meta.url), 'utf8'))
const placesOf = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort()

const english = read('en')

for (const language of languages)
  test(`the words in ${language} are complete, with each plural form and every value`, () => {
    const words = read(language)
    assert.deepEqual(Object.keys(words), Object.keys(english))
    const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories.sort()
    for (const [name, text] of Object.entries(words)) {
      const original = english[name]!
      if (typeof text === 'string') {
        assert.notEqual(text.trim(), '', name)
        assert.deepEqual(placesOf(text), placesOf(original as string), name)
        continue
      }
      assert.deepEqual(Object.keys(text).sort(), categories, name)
      // Some forms say the number in words; the general one always shows it.
      assert.deepEqual(placesOf(text.other!), ['{n}'], name)
      for (const form of Object.values(text))
        assert.ok(
          placesOf(form).every((place) => place === '{n}'),
          name,
        )
    }
  })

test('translations differ from English', () => {
  for (const language of languages.filter((language) => language !== 'en')) {
    const words = read(language)
    const same = Object.keys(words).filter(
      (name) => JSON.stringify(words[name]) === JSON.stringify(english[name]),
    )
    assert.ok(same.length <= 4, `${language}: ${same}`)
  }
})

test('the launcher’s first words are those of the English file', () => {
  const { open, close, unread, loadFailed } = english
  assert.deepEqual(englishLauncher, { open, close, unread, loadFailed })
})

test('the first wanted language with words is used, whatever its region, and English without any', () => {
  assert.equal(chooseLanguage(['de-AT', 'en']), 'de')
  assert.equal(chooseLanguage([undefined, '', 'sv', 'pt_BR', 'fr']), 'pt')
  assert.equal(chooseLanguage(['iw-IL']), 'he')
  assert.equal(chooseLanguage(['AR']), 'ar')
  assert.equal(chooseLanguage(['sv', 'toString', 'den']), 'en')
  assert.equal(chooseLanguage([]), 'en')
})
