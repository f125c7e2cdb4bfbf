(function () {
"use strict";
const SURVEY = SURVEY_DATA;
/* SCRIPT */
})();
