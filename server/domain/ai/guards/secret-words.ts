// Words that announce a secret, a one-time code or the number of a document, in the languages that customers write.
// They are compared without case and accents.

/** What follows is a secret, whatever it looks like. */
export const PASSWORD_WORDS =
  'password|passwords|passwd|pwd|passcode|passphrase|pass word|login password|' +
  'passwort|passwörter|kennwort|zugangswort|contraseña|contrasena|clave|clave de acceso|senha|palavra-passe|' +
  'mot de passe|mdp|parola|parola d’ordine|parola chiave|wachtwoord|hasło|haslo|şifre|şifrem|parolam|parolası|' +
  'пароль|паролем|пароля|كلمة المرور|كلمة السر|الرقم السري|סיסמה|הסיסמה|पासवर्ड|lösenord|lösenordet|adgangskode|passord|' +
  'salasana|heslo|jelszó|kata sandi|mật khẩu|κωδικός πρόσβασης'

/** Followed by digits. */
export const CODE_WORDS =
  'pin|pin code|pin-code|pincode|pin number|tan|otp|cvv|cvc|cvv2|cvc2|csc|security code|verification code|' +
  'login code|access code|auth code|authentication code|one-time code|one time code|one-time password|2fa code|sms code|unlock code|' +
  'geheimzahl|sicherheitscode|prüfziffer|prüfnummer|bestätigungscode|verifizierungscode|zugangscode|sms-code|einmalcode|einmalpasswort|' +
  'código de seguridad|código de verificación|código de acceso|código de confirmación|clave dinámica|nip|' +
  'código de segurança|código de verificação|código de acesso|' +
  'code de sécurité|code de vérification|code confidentiel|code secret|code d’accès|cryptogramme|' +
  'codice di sicurezza|codice di verifica|codice segreto|codice di accesso|' +
  'beveiligingscode|verificatiecode|toegangscode|pincode|kod pin|kod weryfikacyjny|kod sms|kod bezpieczeństwa|' +
  'pin kodu|doğrulama kodu|güvenlik kodu|onay kodu|пин|пин-код|пинкод|код подтверждения|код из смс|код безопасности|пін|пін-код|' +
  'код підтвердження|رمز التحقق|رمز الأمان|קוד אימות|ओटीपी|पिन|kode otp|mã otp|mã pin'

/** Also the word of vouchers, articles and errors: four to eight digits, and no word of those before it. */
export const ANY_CODE_WORDS = 'code|codes|código|codigo|codice|kod|код|kode'
export const OTHER_CODES =
  'error|promo|voucher|discount|coupon|postal|post|zip|area|country|product|article|item|order|tracking|qr|bar|gift|dial|dialing|' +
  'status|sort|swift|bank|reference|booking|model|color|colour|source|fehler|rabatt|gutschein|produkt|artikel|länder|hata|ülke|posta|' +
  'indirim|ürün|erreur|foutmelding|fout|korting|kortings|страны|ошибки|товара'

/** Followed by letters and digits. */
export const DOCUMENT_WORDS =
  'passport|passport number|passport no|social security number|social security|ssn|national id|national insurance number|tax id|id number|id card number|' +
  'identity card number|driving licence|driving license|driver’s license|drivers license number|' +
  'reisepass|reisepassnummer|passnummer|personalausweis|personalausweisnummer|ausweisnummer|steuer-id|steueridentifikationsnummer|' +
  'sozialversicherungsnummer|ahv-nummer|führerscheinnummer|pasaporte|número de pasaporte|dni|nie|nif|número de identidad|cédula|curp|' +
  'passaporte|número do passaporte|cpf|rg|número de identidade|passeport|numéro de passeport|carte d’identité|numéro de sécurité sociale|' +
  'passaporto|numero di passaporto|codice fiscale|carta d’identità|paspoort|paspoortnummer|bsn|burgerservicenummer|paszport|numer paszportu|' +
  'pesel|numer dowodu|dowód osobisty|pasaport|pasaport numaram|tc kimlik|tc kimlik no|kimlik numaram|паспорт|номер паспорта|снилс|инн|' +
  'رقم جواز السفر|جواز السفر|رقم الهوية|תעודת זהות|आधार|aadhaar|aadhar|pan card|personnummer|henkilötunnus|nik|cccd'

/** For scripts without spaces between words. */
export const UNSPACED_PASSWORD_WORDS = '密码|密碼|パスワード|暗証番号|비밀번호|รหัสผ่าน'
export const UNSPACED_CODE_WORDS = '验证码|驗證碼|認証コード|인증번호|รหัส OTP'
export const UNSPACED_DOCUMENT_WORDS =
  '身份证号|身份證號|护照号|護照號|パスポート番号|マイナンバー|주민등록번호|여권번호'

/** Between the word and what it announces. */
export const VERBS =
  'is are was equals reads ist war lautet heißt es era sería é está est était è sono is zijn to jest brzmi это есть це є هو هي הוא היא है hai er är on adalah là'
export const BETWEEN =
  'number no nr num numero número numéro nummer numer номер my your the new old current account login user for of and or mein meine neues altes aktuelles dein ihr das der die ' +
  'mi mis tu su la el nueva actual meu minha o a nova atual mon ma mes votre le nouveau actuel mio mia il nuovo mijn het nieuwe moje mój nowe мой моя новый мій was currently now ' +
  'still card code pin'
/** Not what anybody chose as a password: “my password is wrong”. */
export const ORDINARY_WORDS =
  'not wrong incorrect correct invalid valid expired right too still always never very the a an my required needed lost forgotten case weak strong short long working being ' +
  'reset changed locked blocked rejected accepted refused empty missing unknown secure safe gone broken different same also no it this that so what where why how and or but in on for with ' +
  'unsafe compromised hacked stolen leaked ok okay fine please there here set saved old new mine just now only really all nothing something asked being either already again ' +
  'nicht falsch richtig ungültig gültig abgelaufen zu noch immer nie sehr das ein mein nötig weg verloren vergessen schwach stark kurz lang gesperrt korrekt unbekannt leer sicher ok schon wieder ' +
  'no incorrecta incorrecto correcta correcto inválida válida caducada demasiado la una mi perdida olvidada débil corta larga bloqueada vacía siempre muy mal errónea equivocada ' +
  'não incorreta incorreto correta errada errado inválida expirada muito a uma minha perdida esquecida fraca curta longa bloqueada vazia sempre ' +
  'pas incorrect incorrecte correct faux invalide expiré trop le un mon perdu oublié faible court long bloqué vide toujours refusé très perdue ' +
  'non errata sbagliata corretta scaduta troppo una mia persa dimenticata debole corta lunga bloccata vuota sempre valida ' +
  'niet fout verkeerd juist ongeldig verlopen te een mijn kwijt vergeten zwak kort lang geblokkeerd leeg altijd ' +
  'nie złe błędne nieprawidłowe poprawne wygasło za zbyt moje zgubione zapomniane słabe krótkie zablokowane yanlış hatalı doğru geçersiz çok benim unuttum ' +
  'не неверный неправильный верный неправильно просрочен слишком мой утерян забыт неверен хибний неправильний забув'
